// The return code of a return. Of several functions the highest code counts; values that are not numbers are ignored,
// as in Salt's batches.
import { type Dict, isDict, isList, numberOf, type Value } from '../data/mod.ts'

export function returnCode(data: Dict): number {
  const retcode = data.get('retcode') ?? 0
  const codes = isDict(retcode) ? [...retcode.values()] : isList(retcode) ? retcode : [retcode]
  return codes.reduce<number>((worst, code) => Math.max(worst, codeOf(code)), 0)
}

/** Read as Python's `int` reads it. */
function codeOf(value: Value): number {
  if (typeof value === 'string') return /^\s*[+-]?\d+\s*$/.test(value) ? Number(value) : 0
  return Math.trunc(numberOf(value) ?? 0)
}
