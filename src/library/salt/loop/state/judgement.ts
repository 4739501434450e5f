// Evaluates results: by operators of Python, by functions, and by Python itself for a condition in Python. Values reach
// Python as literals on its input, never as a part of the program.
import { lookup } from '../../../../base/mod.ts'
import {
  compare,
  contains,
  decodeBytes,
  equals,
  failure,
  PyError,
  type PyErrorType,
  repr,
  str,
  subdictMatch,
  truthy,
  type Value,
} from '../../../../data/mod.ts'
import type { StateContext } from '../../../../sdk/mod.ts'

type Comparison = (answer: Value, expected: Value) => boolean | Promise<boolean>

const OPERATORS: Readonly<Record<string, Comparison>> = lookup({
  eq: equals,
  ne: (a, b) => !equals(a, b),
  lt: (a, b) => compare('<', a, b),
  le: (a, b) => compare('<=', a, b),
  gt: (a, b) => compare('>', a, b),
  ge: (a, b) => compare('>=', a, b),
  contains: (a, b) => contains(a, b),
  is_: (a, b) => a === b,
  is_not: (a, b) => a !== b,
})

/** Comparisons of Salt that are not functions of a module. */
const UTILITIES: Readonly<Record<string, Comparison>> = lookup({
  'data.subdict_match': (answer, expected) => subdictMatch(answer, str(expected)),
})

/** Return the comparison of a name; undefined if the name is unknown. */
export async function comparison(ctx: StateContext, name: string): Promise<Comparison | undefined> {
  if (name.includes('.') && (await ctx.serves(name))) {
    return async (answer, expected) => truthy(await ctx.call(name, [answer, expected]))
  }
  return UTILITIES[name] ?? OPERATORS[name]
}

const PROGRAM = `import ast, json, sys
given = json.load(sys.stdin)
names = {name: ast.literal_eval(text) for name, text in given["names"].items()}
try:
    said = {"met": bool(eval(given["condition"], names))}
except Exception as exc:
    said = {"type": type(exc).__name__, "text": str(exc)}
print(json.dumps(said))
`

interface Evaluation {
  met?: boolean
  type?: string
  text?: string
}

/** Return whether a Python condition is true for these names. */
export async function conditionHolds(
  ctx: StateContext,
  condition: string,
  names: Readonly<Record<string, Value>>,
): Promise<boolean> {
  const python = await ctx.host.which('python3')
  if (python === undefined) {
    throw failure(`The condition '${condition}' is Python, and python3 was not found`)
  }
  const texts = Object.fromEntries(Object.entries(names).map(([name, value]) => [name, repr(value)]))
  const stdin = JSON.stringify({ condition, names: texts })
  const { stdout, stderr, retcode } = await ctx.host.run({ argv: [python, '-c', PROGRAM], stdin })
  if (retcode !== 0) throw failure(decodeBytes(stderr).trim())
  const said = JSON.parse(decodeBytes(stdout)) as Evaluation
  if (said.type === undefined) return said.met === true
  throw new PyError(said.type as PyErrorType, said.text ?? '')
}
