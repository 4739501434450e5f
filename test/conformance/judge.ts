// Compares one result with the recorded one: `expect` or `error`, or the second permitted outcome under `pure`.
import type { ActualError, Case, Json, Outcome, RecordedError } from './area.ts'
import { canonicalText, decodeTyped } from './typed-json.ts'

/** Return undefined if the result is right, else the expected and the actual one. */
export function judge(testCase: Case, got: Outcome): string | undefined {
  const primary = compare(testCase, got)
  if (primary === undefined || testCase.pure === undefined) return primary
  return compare(testCase.pure, got) === undefined ? undefined : primary
}

function compare(recorded: { expect?: Json; error?: RecordedError }, got: Outcome): string | undefined {
  if (recorded.error) {
    if ('error' in got) return compareErrors(recorded.error, got.error)
    return difference({ error: recorded.error }, { expect: JSON.parse(canonicalText(got.expect)) })
  }
  if (recorded.expect === undefined) return 'the case records no outcome'
  const wanted = canonicalText(decodeTyped(recorded.expect))
  if ('error' in got) return difference(JSON.parse(wanted), { error: got.error })
  const came = canonicalText(got.expect)
  return came === wanted ? undefined : difference(JSON.parse(wanted), JSON.parse(came))
}

function compareErrors(wanted: RecordedError, got: ActualError): string | undefined {
  if (wanted.traceback && !('line' in wanted)) return undefined
  const fields: Array<keyof ActualError> = ['class', 'error', 'line']
  if (!wanted.traceback) fields.push('message')
  const wrong = fields.filter((field) => field in wanted && (wanted[field] ?? null) !== (got[field] ?? null))
  if (wrong.length === 0) return undefined
  const only = (error: Partial<ActualError>) => Object.fromEntries(wrong.map((field) => [field, error[field] ?? null]))
  return difference(only(wanted as Partial<ActualError>), only(got))
}

function difference(wanted: unknown, got: unknown): string {
  return `wanted ${show(wanted)}\n   got ${show(got)}`
}

const show = (json: unknown): string => (typeof json === 'string' ? JSON.stringify(json) : compact(json))

function compact(json: unknown): string {
  const text = JSON.stringify(json)
  return text.length <= 2000 ? text : `${text.slice(0, 2000)}… (${text.length} characters)`
}
