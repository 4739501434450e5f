// Decides whether the result of a function is a success. False, `result: false` and a `retcode` other than 0, at any
// depth of dicts, are failures.
import type { Dict, Value } from '../../../../data/mod.ts'

export function succeeded(answer: Value): boolean {
  if (typeof answer === 'boolean') return answer
  return answer instanceof Map ? dictSucceeded(answer) : true
}

function dictSucceeded(answer: Dict): boolean {
  for (const [key, value] of answer) {
    if (key === 'result' && value === false) return false
    if (key === 'retcode' && value !== 0) return false
    if (value instanceof Map && !dictSucceeded(value)) return false
  }
  return true
}
