"""psycopg 2: parameters, many rows at once, a server-side cursor, COPY, transactions, errors."""
import io
import os

import psycopg2
import psycopg2.errors
import psycopg2.extras

store, layout = os.environ["STORE"], os.environ["LAYOUT"]


def check(name, good):
    print(f"{'ok' if good else 'not ok'} - psycopg, {layout}: {name}")


connection = psycopg2.connect("")
cursor = connection.cursor()
cursor.execute("SELECT doublets.create_store(%s, %s)::text", (store, layout))
check("creates a store", cursor.fetchone() == (store,))
connection.commit()

cursor.execute(f"INSERT INTO {store}(source, target) VALUES (%s, %s) RETURNING id", (1, -(2**63)))
cursor.execute(f"SELECT id, target FROM {store} WHERE source = %s", (1,))
check("queries with parameters", cursor.fetchall() == [(1, -(2**63))])

psycopg2.extras.execute_values(cursor, f"INSERT INTO {store} VALUES %s", [(1000 + i, i % 5, 7) for i in range(500)], page_size=200)
cursor.copy_expert(f"COPY {store} FROM STDIN", io.StringIO("100\t5\t6\n101\t6\t5\n"))
connection.commit()
with connection.cursor("walk") as walk:
    walk.itersize = 50
    walk.execute(f"SELECT id FROM {store} WHERE target = 7 ORDER BY id")
    found = [row[0] for row in walk]
check("inserts many, copies in, fetches through a cursor", found == list(range(1000, 1500)))

cursor.execute(f"UPDATE {store} SET target = 8 WHERE source = 3")
updated = cursor.rowcount
cursor.execute(f"DELETE FROM {store} WHERE target = 8")
check("modifies, and is told how many", (updated, cursor.rowcount) == (100, 100))

connection.rollback()
with connection:
    cursor.execute(f"INSERT INTO {store} VALUES (51, 51, 51)")
cursor.execute(f"SELECT count(*), max(id) FILTER (WHERE id < 100) FROM {store}")
check("keeps and undoes transactions", cursor.fetchone() == (504, 51))
connection.rollback()

try:
    cursor.execute(f"INSERT INTO {store} VALUES (51, 1, 1)")
    check("tells errors by SQLSTATE", False)
except psycopg2.errors.UniqueViolation as error:
    check("tells errors by SQLSTATE", error.pgcode == "23505" and error.diag.constraint_name == f"{store}_pkey")
connection.rollback()

cursor.execute(f"DROP FOREIGN TABLE {store}")
connection.commit()
check("drops", True)
