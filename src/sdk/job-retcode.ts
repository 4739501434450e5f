// The return code of a job: the code that its function set, or a failure code if the result says that it failed.
import { type Dict, isDict, truthy, type Value } from '../data/mod.ts'

export function jobRetcode(memory: Dict, answer: Value): Value {
  const retcode = memory.get('retcode') ?? 0
  if (retcode !== 0 || !isDict(answer)) return retcode
  const succeeded = ['result', 'success'].every((key) => truthy(answer.get(key) ?? true))
  return succeeded ? 0 : 1
}
