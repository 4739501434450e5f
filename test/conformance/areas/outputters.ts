// Outputters: the text for data under options (cases/outputters/README.md).
import type { Dict, Value } from '../../../src/data/mod.ts'
import { display } from '../../../src/output/mod.ts'
import type { Area, Case, Json, Outcome } from '../area.ts'
import { decodeTyped } from '../typed-json.ts'

/** The options of the recordings where a case is silent; they printed to a pipe. */
const DEFAULTS: Record<string, Value> = {
  color: false,
  state_output: 'full',
  state_verbose: true,
  state_output_profile: true,
  state_output_diff: false,
  strip_colors: true,
  transport: 'zeromq',
}

const dict = (json: unknown): Dict => decodeTyped((json ?? {}) as Json) as Dict

const area: Area = {
  name: 'outputters',
  recorded(testCase) {
    return { expect: testCase['text'] as Json }
  },
  run(testCase: Case): Outcome {
    const opts: Dict = new Map<Value, Value>([...Object.entries(DEFAULTS), ...dict(testCase['opts'])])
    const data = decodeTyped(testCase['data'] as Json)
    return { expect: display(testCase['out'] as string | null, data, opts, { kwargs: dict(testCase['kwargs']) }) }
  },
}

export default area
