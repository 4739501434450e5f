// States that only report, to test requisites, output and conditions.
import { randomInt } from 'node:crypto'
import { type Dict, isInt, misuse, PyError, str, textOf, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  defineState,
  type Result,
  type StateContext,
  type StateReturn,
  state,
  toValue,
} from '../../../sdk/mod.ts'

const CHANGES = { testing: { old: 'Unchanged', new: 'Something pretended to change' } }

const name = arg.string('Name of the state')
const kwargs = arg.ignored('`comment` of the report; other keywords are ignored')

type Further = ReadonlyMap<string, Value>

/** Return the given comment, of any type. */
const commentIn = (kwargs: Further, otherwise: string): Value => kwargs.get('comment') ?? otherwise

function report(name: string, changes: Result, result: boolean | null, comment: Value, more: Result = {}): Dict {
  return toValue({ name, changes, result, comment, ...(more as object) }) as Dict
}

const succeed = (name: string, kwargs: Further): Dict => report(name, {}, true, commentIn(kwargs, 'Success!'))

function failure(ctx: StateContext, name: string, kwargs: Further): Dict {
  const comment = ctx.test ? "If we weren't testing, this would be a failure!" : commentIn(kwargs, 'Failure!')
  return report(name, {}, false, comment)
}

function changing(ctx: StateContext, name: string, comment: Value, result: boolean): Dict {
  const outcome = result ? 'successful' : 'failed'
  if (!ctx.test) return report(name, CHANGES, result, comment)
  return report(name, CHANGES, null, `If we weren't testing, this would be ${outcome} with changes`)
}

/** Return the value of a switch: True, False or random. */
function isOn(option: string, value: Value): boolean {
  if (typeof value === 'boolean') return value
  if (str(value).toLowerCase() === 'random') return randomInt(2) === 1
  throw misuse(
    `You have specified the state option '${option}' with invalid arguments. It must be either True, False, or 'Random'`,
  )
}

const randomSwitch = (what: string) => arg.any(`${what}: True, False or \`Random\``, { default: true })

const configurable = {
  name,
  changes: randomSwitch('Whether there are changes'),
  result: randomSwitch('Result'),
  comment: arg.any('Comment of any type', { default: '' }),
  warnings: arg.textOrList('Warnings: text, or a list of texts', { optional: true }),
  allow_test_mode_failure: arg.boolean('Whether a dry run may fail', { default: false }),
}

function configured(ctx: StateContext, args: Bound<typeof configurable>): Dict {
  const { name, comment } = args
  const changes = isOn('changes', args.changes) ? CHANGES : {}
  const result = isOn('result', args.result)
  const warnings = warningsOf(args.warnings)
  if (!ctx.test) return report(name, changes, result, comment, warnings)
  const predicted = args.allow_test_mode_failure && args.result === false ? false : args.changes === false ? true : null
  return report(name, changes, predicted, truthy(comment) ? comment : 'This is a test', warnings)
}

function warningsOf(warnings: Value): { warnings?: Value[] } {
  if (warnings === null) return {}
  if (typeof warnings === 'string') return { warnings: [warnings] }
  if (Array.isArray(warnings)) return { warnings }
  throw misuse(
    "You have specified the state option 'warnings' with invalid arguments. It must be a string or a list of strings",
  )
}

/** Return the watched states that have changes. */
function changedRequisites({ low, running }: StateContext): string[] {
  const reqs = low.get('__reqs__')
  const watched = reqs instanceof Map ? reqs.get('watch') : undefined
  const changed: string[] = []
  for (const req of Array.isArray(watched) ? watched : []) {
    if (!(req instanceof Map)) continue
    const part = (key: string): string => str(req.get(key) ?? null)
    const result = running.get(`${part('state')}_|-${part('__id__')}_|-${part('name')}_|-${part('fun')}`)
    const changes = result instanceof Map ? result.get('changes') : undefined
    if (changes !== undefined && truthy(changes)) changed.push(`${part('state')}: ${part('__id__')}`)
  }
  return changed
}

interface PillarType {
  name: string
  is(value: Value): boolean
}

const keys = (what: string) => arg.any(`Pillar keys that must ${what}: text, or a list`, { optional: true })

const pillarArgs = {
  name,
  present: keys('exist'),
  boolean: keys('be booleans'),
  integer: keys('be integers'),
  string: keys('be text'),
  listing: keys('be lists'),
  dictionary: keys('be dicts'),
  verbose: arg.boolean('List the keys that passed, too', { default: false }),
}

type Option = Exclude<keyof typeof pillarArgs, 'name' | 'verbose'>

const PILLAR_TYPES: ReadonlyArray<[option: Option, type: PillarType | undefined]> = [
  ['present', undefined],
  ['boolean', { name: "<class 'bool'>", is: (value) => typeof value === 'boolean' }],
  ['integer', { name: "<class 'int'>", is: (value) => isInt(value) || typeof value === 'boolean' }],
  ['string', { name: "(<class 'str'>,)", is: (value) => textOf(value) !== undefined }],
  ['listing', { name: "<class 'list'>", is: (value) => Array.isArray(value) }],
  ['dictionary', { name: "<class 'dict'>", is: (value) => value instanceof Map }],
]

function keysOf(value: Value): Value[] {
  if (!truthy(value)) return []
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value
  throw new PyError('TypeError', '')
}

async function checkPillar(ctx: StateContext, args: Bound<typeof pillarArgs>): Promise<StateReturn> {
  if (!PILLAR_TYPES.some(([option]) => truthy(args[option]))) {
    throw misuse('Missing required argument text.')
  }
  const failed = new Map<string, PillarType | null>()
  const fine = new Map<string, PillarType | undefined>()
  for (const [option, type] of PILLAR_TYPES) {
    for (const key of keysOf(args[option])) {
      const value = await ctx.call('pillar.get', [key, null])
      if (value === null) failed.set(str(key), null)
      else if (type && !type.is(value)) failed.set(str(key), type)
      else if (args.verbose) fine.set(str(key), type)
    }
  }
  const lines = Array.from(failed, ([key, type]) => {
    return `Pillar key "${key}" ${type === null ? 'is missing.' : `is not ${type.name}.`}\n`
  })
  if (fine.size > 0) lines.push('Those keys passed the check:\n')
  for (const [key, type] of fine) lines.push(`- ${key} (${type?.name ?? 'None'})\n`)
  return { name: args.name, changes: {}, result: failed.size === 0, comment: lines.join('') }
}

export default defineState({
  name: 'test',
  doc: 'Test states: succeed, fail, report changes and notify on request.',
  functions: {
    nop: state({
      doc: 'Succeed and do nothing.',
      args: { name, kwargs },
      run: (_ctx, { name }) => succeed(name, new Map()),
    }),
    succeed_without_changes: state({
      doc: 'Succeed and change nothing.',
      args: { name, kwargs },
      run: (_ctx, { name, kwargs }) => succeed(name, kwargs),
    }),
    fail_without_changes: state({
      doc: 'Fail and change nothing.',
      args: { name, kwargs },
      run: (ctx, { name, kwargs }) => failure(ctx, name, kwargs),
    }),
    succeed_with_changes: state({
      doc: 'Succeed and report changes.',
      args: { name, kwargs },
      run: (ctx, { name, kwargs }) => changing(ctx, name, commentIn(kwargs, 'Success!'), true),
    }),
    fail_with_changes: state({
      doc: 'Fail and report changes.',
      args: { name, kwargs },
      run: (ctx, { name, kwargs }) => changing(ctx, name, commentIn(kwargs, 'Failure!'), false),
    }),
    configurable_test_state: state({
      doc: 'Report the result, changes and comment of the arguments.',
      args: configurable,
      run: configured,
    }),
    show_notification: state({
      doc: 'Show a text.',
      args: { name, text: arg.any('Text, or another value, to show', { optional: true }), kwargs: arg.ignored() },
      run: (_ctx, { name, text }) => {
        if (!truthy(text)) throw misuse('Missing required argument text.')
        return report(name, {}, true, text)
      },
    }),
    mod_watch: state({
      doc: 'React to changes of watched states.',
      args: {
        name,
        sfun: arg.text('Ignored', { optional: true }),
        kwargs: arg.open('`result`, `comment` and `changes` of the report'),
      },
      run: (ctx, { name, kwargs }) =>
        new Map<Value, Value>([
          ['name', name],
          ['result', kwargs.get('result') ?? true],
          ['comment', kwargs.get('comment') ?? 'Watch statement fired.'],
          ['changes', kwargs.get('changes') ?? new Map([['Requisites with changes', changedRequisites(ctx)]])],
        ]),
    }),
    check_pillar: state({
      doc: 'Ensure that pillar keys exist and have the given types.',
      args: pillarArgs,
      run: checkPillar,
    }),
  },
})
