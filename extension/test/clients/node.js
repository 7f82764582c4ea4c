// node-postgres: parameters, named (prepared) statements, many queries at once from a pool, transactions, errors.
'use strict';
const { Pool } = require('pg');

const store = process.env.STORE;
const layout = process.env.LAYOUT;

function check(name, good) {
  console.log(`${good ? 'ok' : 'not ok'} - node, ${layout}: ${name}`);
}

async function codeOf(promise) {
  try {
    await promise;
    return 'none';
  } catch (error) {
    return error.code;
  }
}

async function main() {
  const pool = new Pool({ max: 4 });
  const created = await pool.query('SELECT doublets.create_store($1, $2) AS name', [store, layout]);
  check('creates a store', created.rows[0].name === store);

  const inserted = await pool.query(`INSERT INTO ${store}(source, target) VALUES ($1, $2) RETURNING id`, [1, '9223372036854775807']);
  const outgoing = { name: 'outgoing', text: `SELECT id, target FROM ${store} WHERE source = $1` };
  let good = inserted.rows[0].id === '1';
  for (let i = 0; i < 8; i++) {
    const { rows } = await pool.query({ ...outgoing, values: [1] });
    good = good && rows.length === 1 && rows[0].target === '9223372036854775807';
  }
  check('queries with a prepared statement, again and again', good);

  const ids = Array.from({ length: 100 }, (_, i) => 1000 + i);
  await Promise.all(ids.map((id) => pool.query(`INSERT INTO ${store} VALUES ($1, $2, 7)`, [id, id % 5])));
  const of = await pool.query(`SELECT id FROM ${store} WHERE id = ANY ($1) ORDER BY id`, [ids]);
  check('inserts over several connections, queries by an array', of.rows.length === 100 && of.rows[0].id === '1000');

  const updated = await pool.query(`UPDATE ${store} SET target = 8 WHERE source = 3`);
  const removed = await pool.query(`DELETE FROM ${store} WHERE target = 8`);
  check('modifies, and is told how many', updated.rowCount === 20 && removed.rowCount === 20);

  const client = await pool.connect();
  await client.query('BEGIN');
  await client.query(`INSERT INTO ${store} VALUES (50, 50, 50)`);
  const hidden = await pool.query(`SELECT id FROM ${store} WHERE id = 50`);
  await client.query('ROLLBACK');
  await client.query('BEGIN');
  await client.query(`INSERT INTO ${store} VALUES (51, 51, 51)`);
  await client.query('COMMIT');
  const kept = await pool.query(`SELECT id FROM ${store} WHERE id IN (50, 51)`);
  check('keeps and undoes transactions', hidden.rows.length === 0 && kept.rows.length === 1 && kept.rows[0].id === '51');

  const duplicate = await codeOf(client.query(`INSERT INTO ${store} VALUES (51, 1, 1)`));
  const absent = await codeOf(client.query(`INSERT INTO ${store} VALUES (52, NULL, 1)`));
  check('tells errors by SQLSTATE', duplicate === '23505' && absent === '23502');
  client.release();

  await pool.query(`DROP FOREIGN TABLE ${store}`);
  const gone = await pool.query('SELECT to_regclass($1) AS name', [store]);
  check('drops', gone.rows[0].name === null);
  await pool.end();
}

main().catch((error) => {
  console.log(`not ok - node, ${layout}: ends well\n# ${error}`);
  process.exitCode = 1;
});
