/*
 * Lets a test server pass billions of transaction ids in a moment: ids that no transaction ever gets need no memory in
 * the commit log or in the map of subtransactions, as long as the first id of each page that is used gets assigned, for
 * that is when the server makes the page (GetNewTransactionId). PostgreSQL 17's src/test/modules/xid_wraparound
 * assigns the first id of every page instead, and takes minutes.
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/xact.h"
#include "fmgr.h"
#include "storage/lwlock.h"
#include "utils/xid8.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(set_next_xid);

/* set_next_xid(xid8): the id the next transaction gets. Only forwards, and less than 2^31 at once. */
Datum
set_next_xid(PG_FUNCTION_ARGS)
{
	FullTransactionId wanted = PG_GETARG_FULLTRANSACTIONID(0);
	FullTransactionId next;
	bool		possible;

	LWLockAcquire(XidGenLock, LW_EXCLUSIVE);
	next = ShmemVariableCache->nextXid;
	possible = U64FromFullTransactionId(wanted) >= U64FromFullTransactionId(next) &&
		U64FromFullTransactionId(wanted) - U64FromFullTransactionId(next) < ((uint64) 1 << 31) &&
		TransactionIdIsNormal(XidFromFullTransactionId(wanted));
	if (possible)
		ShmemVariableCache->nextXid = wanted;
	LWLockRelease(XidGenLock);
	if (!possible)
		elog(ERROR, "the next transaction id cannot be set to " UINT64_FORMAT " when it is " UINT64_FORMAT,
			 U64FromFullTransactionId(wanted), U64FromFullTransactionId(next));
	PG_RETURN_VOID();
}
