// Arguments of a state that the engine itself understands, and that functions therefore never see.

import { REQUISITE_TYPES } from '../../sdk/mod.ts'

export { INTERNAL_KEYWORDS, REQUISITE_KEYWORDS, REQUISITE_TYPES } from '../../sdk/mod.ts'

export type RequisiteType = (typeof REQUISITE_TYPES)[number]

export const REQUISITE_WEIGHT: ReadonlyMap<RequisiteType, number> = new Map(
  REQUISITE_TYPES.map((type, weight) => [type, weight]),
)

/** Requisites that the graph is made of, in the order their errors are reported. */
export const GRAPH_REQUISITES: readonly RequisiteType[] = [
  'require',
  'require_any',
  'watch',
  'watch_any',
  'prereq',
  'onfail',
  'onfail_any',
  'onfail_all',
  'onchanges',
  'onchanges_any',
]
