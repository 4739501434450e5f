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
import { arg, defineModule, type FunctionContext, fn, option, ret } from '../../../sdk/mod.ts'
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

function fibonacci(num: number | bigint): Value {
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

function collatz(start: number | bigint): Value {
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

function randomHash(ctx: FunctionContext, size: number | bigint, hashType: Value): string {
  const algorithm = truthy(hashType) ? str(hashType) : option(ctx.opts, 'hash_type')
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
  hash_type: arg.any('The hash; the configured one when not given', { optional: true }),
}
const report = fn({
  doc: 'The versions of this installation and its system, for people.',
  args: {},
  returns: ret.string('The report'),
  examples: ["salt '*' test.versions_report"],
  effect: 'read',
  run: (ctx) => versionsReport(ctx.grains),
})

export default defineModule({
  name: 'test',
  doc: 'Try out connections, arguments, errors and return codes.',
  functions: {
    ping: fn({
      doc: 'True, to show that the minion answers. Not an ICMP ping.',
      args: {},
      returns: ret.boolean('Always true'),
      examples: ["salt '*' test.ping"],
      effect: 'read',
      run: () => true,
    }),
    echo: fn({
      doc: 'Return what was given.',
      args: { text: arg.any('Any value') },
      returns: ret.any('The same value'),
      examples: ["salt '*' test.echo 'foo bar baz quo qux'"],
      effect: 'read',
      run: (_ctx, { text }) => text,
    }),
    outputter: fn({
      doc: 'Return what was given, to try an outputter.',
      args: { data: arg.any('Any value') },
      returns: ret.any('The same value'),
      examples: ["salt '*' test.outputter foobar"],
      effect: 'read',
      run: (_ctx, { data }) => data,
    }),
    arg: fn({
      doc: 'The arguments as they arrived.',
      args: { args, kwargs },
      returns: ret.dict('`args` and `kwargs`'),
      examples: ['salt \'*\' test.arg 1 "two" 3.1 txt="hello" wow=\'{a: 1, b: "hello"}\''],
      effect: 'read',
      run: (_ctx, { args, kwargs }) => ({ args: tuple(args), kwargs: kwargs as Dict }),
    }),
    kwarg: fn({
      doc: 'The keyword arguments as they arrived.',
      args: { kwargs },
      returns: ret.dict('The arguments by name'),
      examples: ['salt \'*\' test.kwarg num=1 txt="two" env=\'{a: 1, b: "hello"}\''],
      effect: 'read',
      run: (_ctx, { kwargs }) => kwargs as Dict,
    }),
    arg_type: fn({
      doc: 'The types of the arguments.',
      args: { args, kwargs },
      returns: ret.dict('`args` and `kwargs`'),
      examples: ["salt '*' test.arg_type 1 'int'"],
      effect: 'read',
      run: (_ctx, { args, kwargs }) => ({
        args: args.map(classOf),
        kwargs: new Map(Array.from(kwargs, ([name, value]): [string, string] => [name, classOf(value)])) as Dict,
      }),
    }),
    arg_repr: fn({
      doc: 'The arguments as Python writes them.',
      args: { args, kwargs },
      returns: ret.dict('`args` and `kwargs`'),
      examples: ['salt \'*\' test.arg_repr 1 "two" 3.1 txt="hello"'],
      effect: 'read',
      run: (_ctx, { args, kwargs }) => ({ args: repr(tuple(args)), kwargs: repr(kwargs as Dict) }),
    }),
    arg_clean: fn({
      doc: 'As `arg`, without what Salt itself passes along.',
      args: { args, kwargs },
      returns: ret.dict('`args` and `kwargs`'),
      examples: ['salt \'*\' test.arg_clean 1 "two" 3.1 txt="hello"'],
      effect: 'read',
      run: (_ctx, { args, kwargs }) => ({ args: tuple(args), kwargs: cleaned(kwargs) as Dict }),
    }),
    fib: fn({
      doc: 'A Fibonacci number, and the seconds it took.',
      args: { num: arg.any('Which one') },
      returns: ret.list('The number and the time'),
      examples: ["salt '*' test.fib 3"],
      effect: 'read',
      run: (_ctx, { num }) => fibonacci(wholeOf(num)),
    }),
    collatz: fn({
      doc: 'The Collatz sequence from a number, and the seconds it took.',
      args: { start: arg.any('The first number') },
      returns: ret.list('The sequence and the time'),
      examples: ["salt '*' test.collatz 3"],
      effect: 'read',
      run: (_ctx, { start }) => collatz(wholeNumber(start)),
    }),
    true: fn({
      doc: 'Always true.',
      args: {},
      calledAs: 'true_',
      returns: ret.boolean('True'),
      examples: ["salt '*' test.true"],
      effect: 'read',
      run: () => true,
    }),
    false: fn({
      doc: 'Always false.',
      args: {},
      calledAs: 'false_',
      returns: ret.boolean('False'),
      examples: ["salt '*' test.false"],
      effect: 'read',
      run: () => false,
    }),
    sleep: fn({
      doc: 'Wait, then return true.',
      args: { length: arg.any('Seconds') },
      returns: ret.boolean('True'),
      examples: ["salt '*' test.sleep 20"],
      effect: 'read',
      run: (_ctx, { length }) => delay(wholeNumber(length) * 1000, true),
    }),
    rand_sleep: fn({
      doc: 'Wait for a random time, then return true.',
      args: { max: arg.integer('Seconds at most', { default: 60 }) },
      returns: ret.boolean('True'),
      examples: ["salt '*' test.rand_sleep 60"],
      effect: 'read',
      run: (_ctx, { max }) => delay(randomInt(Number(max) + 1) * 1000, true),
    }),
    version: fn({
      doc: 'The version of Salt on the minion.',
      args: {},
      returns: ret.string('The version'),
      examples: ["salt '*' test.version"],
      effect: 'read',
      run: () => SALT_VERSION,
    }),
    versions_information: fn({
      doc: 'The versions of this installation and its system.',
      args: {},
      returns: ret.dict('The versions by section'),
      examples: ["salt '*' test.versions_information"],
      effect: 'read',
      run: (ctx) => versionsInformation(ctx.grains),
    }),
    versions_report: report,
    versions: report,
    conf_test: fn({
      doc: 'The option `test.foo`, or its default.',
      args: {},
      returns: ret.any('The value'),
      examples: ["salt '*' test.conf_test"],
      effect: 'read',
      run: (ctx) => ctx.call('config.option', ['test.foo']),
    }),
    get_opts: fn({
      doc: 'The options of this minion.',
      args: {},
      returns: ret.dict('The options'),
      examples: ["salt '*' test.get_opts"],
      effect: 'read',
      run: (ctx) => ctx.opts,
    }),
    opts_pkg: fn({
      doc: 'The options of this minion together with its grains.',
      args: {},
      returns: ret.dict('The options'),
      examples: ["salt '*' test.opts_pkg"],
      effect: 'read',
      run: (ctx) => new Map<Value, Value>([...ctx.opts, ['grains', ctx.grains]]),
    }),
    cross_test: fn({
      doc: 'Call another function.',
      args: { func: arg.string('Its name'), args: arg.list('Its arguments', { optional: true }) },
      returns: ret.any('What it returns'),
      examples: ["salt '*' test.cross_test file.gid_to_group 0"],
      effect: 'change',
      run: (ctx, { func, args }) => ctx.call(func, args ?? []),
    }),
    try: fn({
      doc: 'Call another function; None when it fails.',
      args: {
        module: arg.string('The name of the function'),
        return_try_exception: arg.boolean('Return the error in place of None', { default: false }),
        kwargs: arg.open('Its arguments'),
      },
      calledAs: 'try_',
      returns: ret.any('What it returns'),
      effect: 'change',
      run: async (ctx, { module, return_try_exception, kwargs }) => {
        try {
          return await ctx.call(module, [], kwargs)
        } catch (error) {
          return return_try_exception ? toError(error).message : null
        }
      },
    }),
    attr_call: fn({
      doc: 'The grains, by way of another function.',
      args: {},
      returns: ret.dict('The grains'),
      examples: ["salt '*' test.attr_call"],
      effect: 'read',
      run: (ctx) => ctx.call('grains.items'),
    }),
    module_report: fn({
      doc: 'All functions, in the ways they can be reached.',
      args: {},
      returns: ret.dict('Lists of names'),
      examples: ["salt '*' test.module_report"],
      effect: 'read',
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
    provider: fn({
      doc: 'Which module serves a name, such as pkg.',
      args: { module: arg.string('The name') },
      returns: ret.string('The module, or nothing'),
      examples: ["salt '*' test.provider service"],
      effect: 'read',
      run: (ctx, { module }) => providerOf(ctx, module),
    }),
    providers: fn({
      doc: 'All modules with the names they serve.',
      args: {},
      returns: ret.dict('Names by module'),
      examples: ["salt '*' test.providers"],
      effect: 'read',
      run: async (ctx) => {
        const absent = new Set(await notLoaded(ctx))
        const providers: Dict = new Map()
        for (const name of moduleNames(ctx)) if (!absent.has(name)) providers.set(await providerOf(ctx, name), name)
        return providers
      },
    }),
    not_loaded: fn({
      doc: 'The modules that cannot serve this minion.',
      args: {},
      returns: ret.list('Their names'),
      examples: ["salt '*' test.not_loaded"],
      effect: 'read',
      run: notLoaded,
    }),
    random_hash: fn({
      doc: 'A hash of a random number.',
      args: hashing,
      returns: ret.string('The hash'),
      examples: ["salt '*' test.random_hash hash_type=sha512"],
      effect: 'read',
      run: (ctx, { size, hash_type }) => randomHash(ctx, size, hash_type),
    }),
    rand_str: fn({
      doc: 'The old name of `random_hash`.',
      args: hashing,
      returns: ret.string('The hash'),
      effect: 'read',
      run: (ctx, { size, hash_type }) => randomHash(ctx, size, hash_type),
    }),
    retcode: fn({
      doc: 'Make the return code of this call what was asked.',
      args: { code: arg.any('The return code', { default: 42 }) },
      returns: ret.boolean('True'),
      examples: ["salt '*' test.retcode 42"],
      effect: 'read',
      run: (ctx, { code }) => {
        ctx.memory.set('retcode', code)
        return true
      },
    }),
    exception: fn({
      doc: 'Fail with a text.',
      args: { message: arg.any('The text', { default: 'Test Exception' }) },
      examples: ["salt '*' test.exception 'Oh noes!'"],
      effect: 'read',
      run: (_ctx, { message }) => {
        throw new PyError('Exception', str(message))
      },
    }),
    raise_exception: fn({
      doc: 'Fail with an error of a given class; false for an unknown class.',
      args: { name: arg.string('The class'), args: arg.rest('What it is made with'), kwargs: arg.open('Ignored') },
      returns: ret.boolean('False'),
      examples: ["salt '*' test.raise_exception TypeError 'An integer is required'"],
      effect: 'read',
      run: (ctx, { name, args }) => raise(ctx, name, args),
    }),
    assertion: fn({
      doc: 'Fail unless the argument is true.',
      args: { assertion: arg.any('Any value') },
      examples: ["salt '*' test.assertion False"],
      effect: 'read',
      run: (_ctx, { assertion }) => {
        if (!truthy(assertion)) throw new PyError('AssertionError', '')
      },
    }),
    stack: fn({
      doc: 'The calls that led here.',
      args: {},
      returns: ret.string('The stack'),
      examples: ["salt '*' test.stack"],
      effect: 'read',
      run: () => new Error('stack').stack ?? '',
    }),
    tty: fn({
      doc: 'Moved to `cmd.tty`.',
      args: { args, kwargs },
      returns: ret.string('Where it is now'),
      effect: 'read',
      run: () => 'ERROR: This function has been moved to cmd.tty',
    }),
    deprecation_warning: fn({
      doc: 'True, and two warnings about something deprecated.',
      args: {},
      returns: ret.boolean('True'),
      effect: 'read',
      run: (ctx) => {
        ctx.log('warning', 'This is a test deprecation warning by version.')
        ctx.log('warning', 'This is a test deprecation warning by date very far into the future (3000-01-01).')
        return true
      },
    }),
  },
})
