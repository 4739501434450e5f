// Functions that tell whether a minion answers, and what arrives at it.
import { createHash, randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { SALT_VERSION, toError } from '../../../base/mod.ts'
import {
  type Dict,
  float,
  int,
  intFromText,
  numberOf,
  PyError,
  type PyErrorType,
  qualifiedTypeName,
  repr,
  SaltError,
  type SaltErrorCode,
  str,
  truthy,
  tuple,
  type Value,
} from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, option, reads, ret } from '../../../sdk/mod.ts'
import { versionsInformation, versionsReport } from './test-versions.ts'

const classOf = (value: Value): string => `<class '${qualifiedTypeName(value)}'>`

/** Without the keywords that only tell who called. */
function cleaned(kwargs: ReadonlyMap<string, Value>): Map<string, Value> {
  return new Map([...kwargs].filter(([name]) => !name.startsWith('__')))
}

/** As Python's `int` makes one of text and numbers. */
function wholeOf(value: Value): number | bigint {
  return typeof value === 'string'
    ? intFromText(value)
    : typeof value === 'bigint'
      ? value
      : Math.trunc(numberOf(value) ?? 0)
}

function fibonacci(num: number | bigint): Value[] {
  if (num < 0) throw new PyError('ValueError', 'Negative number is not allowed!')
  const start = performance.now()
  let previous = 0n
  let current = 1n
  for (let i = 1n; i < BigInt(num); i++) [previous, current] = [current, previous + current]
  return tuple([num < 2 ? num : int(current), float((performance.now() - start) / 1000)])
}

/** Halving gives floats, as Python's `/` does. */
function wholeNumber(value: Value): number {
  const number = numberOf(value) ?? (/^\s*[+-]?\d+\s*$/.test(str(value)) ? Number(str(value)) : undefined)
  if (number === undefined) throw new PyError('ValueError', `invalid literal for int() with base 10: ${repr(value)}`)
  return Math.trunc(number)
}

function collatz(start: number | bigint): Value[] {
  if (start < 1) throw new PyError('ValueError', 'The sequence begins with a number above zero')
  const began = performance.now()
  const steps: Value[] = []
  let current = Number(start)
  let whole = true
  while (current !== 1) {
    steps.push(whole ? current : float(current))
    if (current % 2 === 0) whole = false
    current = current % 2 === 0 ? current / 2 : current * 3 + 1
  }
  return tuple([steps, float((performance.now() - began) / 1000)])
}

const HASHES = new Set('md5 sha1 sha224 sha256 sha384 sha512 sha3_224 sha3_256 sha3_384 sha3_512'.split(' '))

function randomHash(ctx: FunctionContext, size: number | bigint, hashType: string | null): string {
  const algorithm = hashType ? hashType : option(ctx.opts, 'hash_type')
  if (!HASHES.has(algorithm)) throw new PyError('AttributeError', `module 'hashlib' has no attribute '${algorithm}'`)
  // node draws from at most 2^48 numbers, which is far above the usual size
  const number = randomInt(Math.min(Number(size) + 1, 2 ** 48 - 1))
  return createHash(algorithm.replace('_', '-')).update(String(number)).digest('hex')
}

const PYTHON_ERRORS: ReadonlySet<string> = new Set<PyErrorType>([
  'TypeError',
  'ValueError',
  'KeyError',
  'IndexError',
  'AssertionError',
  'AttributeError',
  'ZeroDivisionError',
  'OverflowError',
  'RecursionError',
  'RuntimeError',
  'LookupError',
  'MemoryError',
  'NotImplementedError',
  'OSError',
  'Exception',
])
const SALT_ERRORS: ReadonlySet<string> = new Set<SaltErrorCode>([
  'SaltException',
  'SaltInvocationError',
  'CommandExecutionError',
])

function raise(ctx: FunctionContext, name: string, args: Value[]): false {
  const isErrno = name === 'OSError' && args.length === 2
  const several = isErrno ? `[Errno ${str(args[0]!)}] ${str(args[1]!)}` : str(tuple(args))
  const text = args.length === 1 ? str(args[0]!) : args.length === 0 ? '' : several
  const salt = name.startsWith('salt.exceptions.') ? name.slice('salt.exceptions.'.length) : undefined
  if (salt !== undefined && SALT_ERRORS.has(salt)) throw new SaltError(salt as SaltErrorCode, text)
  if (PYTHON_ERRORS.has(name)) {
    throw new PyError(name as PyErrorType, name === 'KeyError' && args.length === 1 ? repr(args[0]!) : text)
  }
  ctx.log('error', `No such exception: ${name}`)
  return false
}

async function providerOf(ctx: FunctionContext, module: string): Promise<string> {
  for (const name of ctx.names()) if (name.startsWith(`${module}.`)) return (await ctx.module(module)).name
  return ''
}

function moduleNames(ctx: FunctionContext): Set<string> {
  return new Set(Array.from(ctx.names(), (name) => name.slice(0, name.indexOf('.'))))
}

async function notLoaded(ctx: FunctionContext): Promise<string[]> {
  const absent: string[] = []
  for (const name of moduleNames(ctx)) {
    await ctx.module(name).catch(() => absent.push(name))
  }
  return absent.sort()
}

const args = arg.rest('Any values')
const kwargs = arg.open('Any values by name')
const hashing = {
  size: arg.integer('The largest number to draw', { default: 9999999999 }),
  hash_type: arg.text('The hash; the configured one when not given', { optional: true }),
}
const report = reads({
  doc: 'The versions of this installation and its system, for people.',
  args: {},
  returns: ret.string('The report'),
  example: 'test.versions_report',
  run: (ctx) => versionsReport(ctx.grains),
})

export default defineModule({
  name: 'test',
  doc: 'Try out connections, arguments, errors and return codes.',
  functions: {
    ping: reads({
      doc: 'True, to show that the minion answers. Not an ICMP ping.',
      args: {},
      returns: ret.boolean('Always true'),
      example: 'test.ping',
      run: () => true,
    }),
    echo: reads({
      doc: 'Return what was given.',
      args: { text: arg.any('Any value') },
      returns: ret.any('The same value'),
      example: "test.echo 'foo bar baz quo qux'",
      run: (_ctx, { text }) => text,
    }),
    outputter: reads({
      doc: 'Return what was given, to try an outputter.',
      args: { data: arg.any('Any value') },
      returns: ret.any('The same value'),
      example: 'test.outputter foobar',
      run: (_ctx, { data }) => data,
    }),
    arg: reads({
      doc: 'The arguments as they arrived.',
      args: { args, kwargs },
      returns: ret.dict('`args` and `kwargs`'),
      example: 'test.arg 1 "two" 3.1 txt="hello" wow=\'{a: 1, b: "hello"}\'',
      run: (_ctx, { args, kwargs }) => ({ args: tuple(args), kwargs: kwargs as Dict }),
    }),
    kwarg: reads({
      doc: 'The keyword arguments as they arrived.',
      args: { kwargs },
      returns: ret.dict('The arguments by name'),
      example: 'test.kwarg num=1 txt="two" env=\'{a: 1, b: "hello"}\'',
      run: (_ctx, { kwargs }) => kwargs as Dict,
    }),
    arg_type: reads({
      doc: 'The types of the arguments.',
      args: { args, kwargs },
      returns: ret.dict('`args` and `kwargs`'),
      example: "test.arg_type 1 'int'",
      run: (_ctx, { args, kwargs }) => ({
        args: args.map(classOf),
        kwargs: new Map(Array.from(kwargs, ([name, value]): [string, string] => [name, classOf(value)])) as Dict,
      }),
    }),
    arg_repr: reads({
      doc: 'The arguments as Python writes them.',
      args: { args, kwargs },
      returns: ret.dict('`args` and `kwargs`'),
      example: 'test.arg_repr 1 "two" 3.1 txt="hello"',
      run: (_ctx, { args, kwargs }) => ({ args: repr(tuple(args)), kwargs: repr(kwargs as Dict) }),
    }),
    arg_clean: reads({
      doc: 'As `arg`, without what Salt itself passes along.',
      args: { args, kwargs },
      returns: ret.dict('`args` and `kwargs`'),
      example: 'test.arg_clean 1 "two" 3.1 txt="hello"',
      run: (_ctx, { args, kwargs }) => ({ args: tuple(args), kwargs: cleaned(kwargs) as Dict }),
    }),
    fib: reads({
      doc: 'A Fibonacci number, and the seconds it took.',
      args: { num: arg.any('Which one') },
      returns: ret.list('The number and the time'),
      example: 'test.fib 3',
      run: (_ctx, { num }) => fibonacci(wholeOf(num)),
    }),
    collatz: reads({
      doc: 'The Collatz sequence from a number, and the seconds it took.',
      args: { start: arg.any('The first number') },
      returns: ret.list('The sequence and the time'),
      example: 'test.collatz 3',
      run: (_ctx, { start }) => collatz(wholeNumber(start)),
    }),
    true: reads({
      doc: 'Always true.',
      args: {},
      calledAs: 'true_',
      returns: ret.boolean('True'),
      example: 'test.true',
      run: () => true,
    }),
    false: reads({
      doc: 'Always false.',
      args: {},
      calledAs: 'false_',
      returns: ret.boolean('False'),
      example: 'test.false',
      run: () => false,
    }),
    sleep: reads({
      doc: 'Wait, then return true.',
      args: { length: arg.any('Seconds') },
      returns: ret.boolean('True'),
      example: 'test.sleep 20',
      run: (_ctx, { length }) => delay(wholeNumber(length) * 1000, true),
    }),
    rand_sleep: reads({
      doc: 'Wait for a random time, then return true.',
      args: { max: arg.integer('Seconds at most', { default: 60 }) },
      returns: ret.boolean('True'),
      example: 'test.rand_sleep 60',
      run: (_ctx, { max }) => delay(randomInt(Number(max) + 1) * 1000, true),
    }),
    version: reads({
      doc: 'The version of Salt on the minion.',
      args: {},
      returns: ret.string('The version'),
      example: 'test.version',
      run: () => SALT_VERSION,
    }),
    versions_information: reads({
      doc: 'The versions of this installation and its system.',
      args: {},
      returns: ret.dict('The versions by section'),
      example: 'test.versions_information',
      run: (ctx) => versionsInformation(ctx.grains),
    }),
    versions_report: report,
    versions: report,
    conf_test: reads({
      doc: 'The option `test.foo`, or its default.',
      args: {},
      returns: ret.any('The value'),
      example: 'test.conf_test',
      run: (ctx) => ctx.call('config.option', ['test.foo']),
    }),
    get_opts: reads({
      doc: 'The options of this minion.',
      args: {},
      returns: ret.dict('The options'),
      example: 'test.get_opts',
      run: (ctx) => ctx.opts,
    }),
    opts_pkg: reads({
      doc: 'The options of this minion together with its grains.',
      args: {},
      returns: ret.dict('The options'),
      example: 'test.opts_pkg',
      run: (ctx) => new Map<Value, Value>([...ctx.opts, ['grains', ctx.grains]]),
    }),
    cross_test: changes({
      doc: 'Call another function.',
      args: { func: arg.string('Its name'), args: arg.list('Its arguments', { optional: true }) },
      returns: ret.any('What it returns'),
      example: 'test.cross_test file.gid_to_group 0',
      run: (ctx, { func, args }) => ctx.call(func, args ?? []),
    }),
    try: changes({
      doc: 'Call another function; None when it fails.',
      args: {
        module: arg.string('The name of the function'),
        return_try_exception: arg.boolean('Return the error in place of None', { default: false }),
        kwargs: arg.open('Its arguments'),
      },
      calledAs: 'try_',
      returns: ret.any('What it returns'),
      run: async (ctx, { module, return_try_exception, kwargs }) => {
        try {
          return await ctx.call(module, [], kwargs)
        } catch (error) {
          return return_try_exception ? toError(error).message : null
        }
      },
    }),
    attr_call: reads({
      doc: 'The grains, by way of another function.',
      args: {},
      returns: ret.dict('The grains'),
      example: 'test.attr_call',
      run: (ctx) => ctx.call('grains.items'),
    }),
    module_report: reads({
      doc: 'All functions, in the ways they can be reached.',
      args: {},
      returns: ret.dict('Lists of names'),
      example: 'test.module_report',
      run: (ctx) => {
        const functions = [...ctx.names()]
        return {
          functions,
          function_attrs: [],
          function_subs: [],
          modules: [],
          module_attrs: [],
          missing_attrs: functions,
          missing_subs: functions,
        }
      },
    }),
    provider: reads({
      doc: 'Which module serves a name, such as pkg.',
      args: { module: arg.string('The name') },
      returns: ret.string('The module, or nothing'),
      example: 'test.provider service',
      run: (ctx, { module }) => providerOf(ctx, module),
    }),
    providers: reads({
      doc: 'All modules with the names they serve.',
      args: {},
      returns: ret.dict('Names by module'),
      example: 'test.providers',
      run: async (ctx) => {
        const absent = new Set(await notLoaded(ctx))
        const providers: Dict = new Map()
        for (const name of moduleNames(ctx)) if (!absent.has(name)) providers.set(await providerOf(ctx, name), name)
        return providers
      },
    }),
    not_loaded: reads({
      doc: 'The modules that cannot serve this minion.',
      args: {},
      returns: ret.texts('Their names'),
      example: 'test.not_loaded',
      run: notLoaded,
    }),
    random_hash: reads({
      doc: 'A hash of a random number.',
      args: hashing,
      returns: ret.string('The hash'),
      example: 'test.random_hash hash_type=sha512',
      run: (ctx, { size, hash_type }) => randomHash(ctx, size, hash_type),
    }),
    rand_str: reads({
      doc: 'The old name of `random_hash`.',
      args: hashing,
      returns: ret.string('The hash'),
      run: (ctx, { size, hash_type }) => randomHash(ctx, size, hash_type),
    }),
    retcode: reads({
      doc: 'Make the return code of this call what was asked.',
      args: { code: arg.any('The return code', { default: 42 }) },
      returns: ret.boolean('True'),
      example: 'test.retcode 42',
      run: (ctx, { code }) => {
        ctx.memory.set('retcode', code)
        return true
      },
    }),
    exception: reads({
      doc: 'Fail with a text.',
      args: { message: arg.text('The text', { default: 'Test Exception' }) },
      example: "test.exception 'Oh noes!'",
      run: (_ctx, { message }) => {
        throw new PyError('Exception', message)
      },
    }),
    raise_exception: reads({
      doc: 'Fail with an error of a given class; false for an unknown class.',
      args: { name: arg.string('The class'), args: arg.rest('What it is made with'), kwargs: arg.open('Ignored') },
      returns: ret.boolean('False'),
      example: "test.raise_exception TypeError 'An integer is required'",
      run: (ctx, { name, args }) => raise(ctx, name, args),
    }),
    assertion: reads({
      doc: 'Fail unless the argument is true.',
      args: { assertion: arg.any('Any value') },
      example: 'test.assertion False',
      run: (_ctx, { assertion }) => {
        if (!truthy(assertion)) throw new PyError('AssertionError', '')
      },
    }),
    stack: reads({
      doc: 'The calls that led here.',
      args: {},
      returns: ret.string('The stack'),
      example: 'test.stack',
      run: () => new Error('stack').stack ?? '',
    }),
    tty: reads({
      doc: 'Moved to `cmd.tty`.',
      args: { args, kwargs },
      returns: ret.string('Where it is now'),
      run: () => 'ERROR: This function has been moved to cmd.tty',
    }),
    deprecation_warning: reads({
      doc: 'True, and two warnings about something deprecated.',
      args: {},
      returns: ret.boolean('True'),
      run: (ctx) => {
        ctx.log('warning', 'This is a test deprecation warning by version.')
        ctx.log('warning', 'This is a test deprecation warning by date very far into the future (3000-01-01).')
        return true
      },
    }),
  },
})
