// Whether inserted rows may wait for company and be inserted together: not if anything that runs
// between two rows could look at the table and miss those that wait.
//
// What can run SQL is a volatile function; others see the rows as of the beginning of the
// command. Row triggers make the executor insert what waits before they run.
//
// And whether rows may be evaluated before those in front of them are changed: an error is held back until they are, so
// it must not have come from anything that leaves its mark on the session until the (sub)transaction is rolled back,
// as functions in other languages do (the user they run as, settings, snapshots).
#include "fdw.hpp"
#include "join_scan.hpp"

extern "C" {
#include "utils/partcache.h"
}

namespace doublets::pg {
namespace {

// Functions marked volatile that cannot see or change what a statement inserts.
bool is_harmless(Oid function) {
  switch (function) {
    case F_NEXTVAL:
    case F_RANDOM:
    case F_CLOCK_TIMESTAMP:
    case F_GEN_RANDOM_UUID:
      return true;
    default:
      return false;
  }
}

bool may_look(Oid function, void*) {
  return func_volatile(function) == PROVOLATILE_VOLATILE && !is_harmless(function);
}

bool looks_at_rows(::Node* node, void* context) {
  if (node == nullptr) return false;
  if (check_functions_in_node(node, may_look, context)) return true;
  return IsA(node, Query) ? query_tree_walker(castNode(Query, node), as_walker(looks_at_rows), context, 0)
                          : expression_tree_walker(node, as_walker(looks_at_rows), context);
}

bool look(std::initializer_list<const void*> expressions) {
  for (const void* expression : expressions)
    if (looks_at_rows(static_cast<::Node*>(const_cast<void*>(expression)), nullptr)) return true;
  return false;
}

template <class T>
const T* as(const Plan* plan) {
  return reinterpret_cast<const T*>(plan);
}

bool is_own(const CustomScan* scan) {
  return scan->methods == &kSetScanMethods || scan->methods == &kJoinScanMethods;
}

// The expressions that a node of a plan has besides its target list and qualification. Kinds of
// nodes not known here are taken to look.
bool own_expressions_look(const Plan* plan) {
  switch (nodeTag(plan)) {
    case T_ProjectSet:
    case T_Append:
    case T_MergeAppend:
    case T_SeqScan:
    case T_SubqueryScan:
    case T_CteScan:
    case T_Material:
    case T_Sort:
    case T_IncrementalSort:
    case T_Unique:
    case T_Group:
    case T_Agg:
    case T_Hash:
      return false;
    case T_Result:
      return look({as<Result>(plan)->resconstantqual});
    case T_ValuesScan:
      return look({as<ValuesScan>(plan)->values_lists});
    case T_FunctionScan:
      return look({as<FunctionScan>(plan)->functions});
    case T_ForeignScan:
      return look({as<ForeignScan>(plan)->fdw_exprs});
    case T_IndexScan:
      return look({as<IndexScan>(plan)->indexqual, as<IndexScan>(plan)->indexorderby});
    case T_IndexOnlyScan:
      return look({as<IndexOnlyScan>(plan)->indexqual, as<IndexOnlyScan>(plan)->indexorderby});
    case T_Limit:
      return look({as<Limit>(plan)->limitOffset, as<Limit>(plan)->limitCount});
    case T_NestLoop:
      return look({as<NestLoop>(plan)->join.joinqual});
    case T_MergeJoin:
      return look({as<MergeJoin>(plan)->join.joinqual, as<MergeJoin>(plan)->mergeclauses});
    case T_HashJoin:
      return look({as<HashJoin>(plan)->join.joinqual, as<HashJoin>(plan)->hashclauses});
    case T_CustomScan:
      return !is_own(as<CustomScan>(plan)) || look({as<CustomScan>(plan)->custom_exprs});
    default:
      return true;
  }
}

bool is_foreign_code(Oid function, void*) {
  const HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
  if (!HeapTupleIsValid(tuple)) return true;
  const auto* proc = reinterpret_cast<Form_pg_proc>(GETSTRUCT(tuple));
  const bool builtin = proc->prolang == INTERNALlanguageId && proc->provolatile == PROVOLATILE_IMMUTABLE;
  ReleaseSysCache(tuple);
  return !builtin;
}

// Whether there is more in an expression than functions built into the server that compute something of values.
bool is_more_than_plain(::Node* node, void* context) {
  if (node == nullptr) return false;
  switch (nodeTag(node)) {
    case T_List:
    case T_CaseWhen:
      return expression_tree_walker(node, as_walker(is_more_than_plain), context);
    case T_Param:
      // Others may run a plan first.
      if (castNode(Param, node)->paramkind != PARAM_EXTERN) return true;
      break;
    case T_Const:
    case T_Var:
    case T_OpExpr:
    case T_FuncExpr:
    case T_ScalarArrayOpExpr:
    case T_DistinctExpr:
    case T_NullIfExpr:
    case T_BoolExpr:
    case T_NullTest:
    case T_BooleanTest:
    case T_CaseExpr:
    case T_CaseTestExpr:
    case T_CoalesceExpr:
    case T_RelabelType:
    case T_ArrayExpr:
      break;
    default:
      return true;
  }
  // Comparing arrays of somebody's own type calls his functions.
  return exprType(node) >= FirstNormalObjectId || check_functions_in_node(node, is_foreign_code, nullptr) ||
         expression_tree_walker(node, as_walker(is_more_than_plain), context);
}

bool plan_looks(PlanState* state, void* context) {
  const Plan* plan = state->plan;
  return look({plan->targetlist, plan->qual}) || own_expressions_look(plan) ||
         planstate_tree_walker(state, as_walker(plan_looks), context);
}

}  // namespace

// What was a sublink is a plan by now, which is in no query any more: those queries are looked at beside the rest.
bool statement_looks_at_rows(const PlannerInfo* root) {
  ListCell* cell;
  foreach (cell, root->glob->subroots)
    if (look({static_cast<PlannerInfo*>(lfirst(cell))->parse})) return true;
  for (; root != nullptr; root = root->parent_root)
    if (look({root->parse})) return true;
  return false;
}

bool plan_looks_at_rows(PlanState* plan) {
  return plan_looks(plan, nullptr);
}

bool constraints_look_at_rows(Relation rel) {
  const TupleConstr* constr = RelationGetDescr(rel)->constr;
  for (int i = 0; constr != nullptr && i < constr->num_check; ++i)
    if (look({stringToNode(constr->check[i].ccbin)})) return true;
  return false;
}

ErrorData* hold_error(MemoryContext context) {
  const int code = geterrcode();
  if (code == ERRCODE_QUERY_CANCELED || code == ERRCODE_ADMIN_SHUTDOWN || code == ERRCODE_CRASH_SHUTDOWN ||
      code == ERRCODE_OUT_OF_MEMORY)
    PG_RE_THROW();
  MemoryContextSwitchTo(context);
  ErrorData* error = CopyErrorData();
  FlushErrorState();
  return error;
}

bool errors_may_wait(const List* expressions) {
  return !is_more_than_plain(reinterpret_cast<::Node*>(const_cast<List*>(expressions)), nullptr);
}

bool constraint_errors_may_wait(Relation rel) {
  const TupleConstr* constr = RelationGetDescr(rel)->constr;
  List* conditions = rel->rd_rel->relispartition ? RelationGetPartitionQual(rel) : NIL;
  for (int i = 0; constr != nullptr && i < constr->num_check; ++i)
    conditions = lappend(conditions, stringToNode(constr->check[i].ccbin));
  return errors_may_wait(conditions);
}

}  // namespace doublets::pg
