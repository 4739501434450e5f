// Functions to test connections, arguments, errors and return codes.
import { createHash, randomInt } from 'node:crypto'
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
  tuple,
  type Value,
} from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, option, pause, reads, ret } from '../../../sdk/mod.ts'
import { versionsInformation, versionsReport } from './test-versions.ts'

const classOf = (value: Value): string => `<class '${qualifiedTypeName(value)}'>`

/** Leave out the keywords of the publication. */
function cleaned(kwargs: ReadonlyMap<string, Value>): Map<string, Value> {
  return new Map([...kwargs].filter(([name]) => !name.startsWith('__')))
}

/** Convert text or a number as Python's `int` does. */
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

/** Convert text or a number to an integer, or raise Python's ValueError. */
function wholeNumber(value: Value): number {
  const number = numberOf(value) ?? (/^\s*[+-]?\d+\s*$/.test(str(value)) ? Number(str(value)) : undefined)
  if (number === undefined) throw new PyError('ValueError', `invalid literal for int() with base 10: ${repr(value)}`)
  return Math.trunc(number)
}

/** Return the Collatz sequence. Halves are floats, as Python's `/` gives. */
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
const sameValue = ret.any('Same value')
const value = arg.any('Value of any type')
const wholeArg = arg.any('Whole number, or text of one')
const argsAndKwargs = ret.dict('`args` and `kwargs`')
const hashing = {
  size: arg.integer('Largest random number', { default: 9999999999 }),
  hash_type: arg.text('Hash algorithm. Default: the option `hash_type`', { optional: true }),
}
const report = reads({
  doc: 'Return the versions of this installation and its system as text.',
  returns: ret.string('Report'),
  example: 'test.versions_report',
  run: (ctx) => versionsReport(ctx),
})

export default defineModule({
  name: 'test',
  doc: 'Test connections, arguments, errors and return codes.',
  examples: 'given',
  functions: {
    ping: reads({
      doc: 'Return True, to show that the minion answers. On a proxy minion, return what `ping` of its proxy module does. This is not an ICMP ping.',
      returns: ret.boolean('True'),
      example: 'test.ping',
      run: ({ proxy }) => (proxy ? (proxy.call('ping') as Promise<boolean>) : true),
    }),
    echo: reads({
      doc: 'Return a value.',
      args: { text: value },
      returns: sameValue,
      example: "test.echo 'foo bar baz quo qux'",
      run: (_ctx, { text }) => text,
    }),
    outputter: reads({
      doc: 'Return a value, to test an outputter.',
      args: { data: value },
      returns: sameValue,
      example: 'test.outputter foobar',
      run: (_ctx, { data }) => data,
    }),
    arg: reads({
      doc: 'Return the received arguments.',
      args: { args, kwargs },
      returns: argsAndKwargs,
      example: 'test.arg 1 "two" 3.1 txt="hello" wow=\'{a: 1, b: "hello"}\'',
      run: (_ctx, { args, kwargs }) => ({ args: tuple(args), kwargs: kwargs as Dict }),
    }),
    kwarg: reads({
      doc: 'Return the received keyword arguments.',
      args: { kwargs },
      returns: ret.dict('Arguments by name'),
      example: 'test.kwarg num=1 txt="two" env=\'{a: 1, b: "hello"}\'',
      run: (_ctx, { kwargs }) => kwargs as Dict,
    }),
    arg_type: reads({
      doc: 'Return the types of the arguments.',
      args: { args, kwargs },
      returns: argsAndKwargs,
      example: "test.arg_type 1 'int'",
      run: (_ctx, { args, kwargs }) => ({
        args: args.map(classOf),
        kwargs: new Map(Array.from(kwargs, ([name, value]): [string, string] => [name, classOf(value)])) as Dict,
      }),
    }),
    arg_repr: reads({
      doc: "Return the arguments as Python's `repr` writes them.",
      args: { args, kwargs },
      returns: argsAndKwargs,
      example: 'test.arg_repr 1 "two" 3.1 txt="hello"',
      run: (_ctx, { args, kwargs }) => ({ args: repr(tuple(args)), kwargs: repr(kwargs as Dict) }),
    }),
    arg_clean: reads({
      doc: 'Return the received arguments, without the arguments that Salt adds.',
      args: { args, kwargs },
      returns: argsAndKwargs,
      example: 'test.arg_clean 1 "two" 3.1 txt="hello"',
      run: (_ctx, { args, kwargs }) => ({ args: tuple(args), kwargs: cleaned(kwargs) as Dict }),
    }),
    fib: reads({
      doc: 'Return a Fibonacci number and the seconds it took.',
      args: { num: wholeArg },
      returns: ret.list('Number and time'),
      example: 'test.fib 3',
      run: (_ctx, { num }) => fibonacci(wholeOf(num)),
    }),
    collatz: reads({
      doc: 'Return the Collatz sequence of a number and the seconds it took.',
      args: { start: wholeArg },
      returns: ret.list('Sequence and time'),
      example: 'test.collatz 3',
      run: (_ctx, { start }) => collatz(wholeNumber(start)),
    }),
    true: reads({
      doc: 'Return True.',
      calledAs: 'true_',
      returns: ret.boolean('True'),
      example: 'test.true',
      run: () => true,
    }),
    false: reads({
      doc: 'Return False.',
      calledAs: 'false_',
      returns: ret.boolean('False'),
      example: 'test.false',
      run: () => false,
    }),
    sleep: reads({
      doc: 'Wait for some seconds, then return True.',
      args: { length: wholeArg },
      returns: ret.boolean('True'),
      example: 'test.sleep 20',
      run: async (ctx, { length }) => {
        await pause(ctx, wholeNumber(length))
        return true
      },
    }),
    rand_sleep: reads({
      doc: 'Wait for a random time, then return True.',
      args: { max: arg.integer('Greatest number of seconds', { default: 60 }) },
      returns: ret.boolean('True'),
      example: 'test.rand_sleep 60',
      run: async (ctx, { max }) => {
        await pause(ctx, randomInt(Number(max) + 1))
        return true
      },
    }),
    version: reads({
      doc: 'Return the version of Salt on the minion.',
      returns: ret.string('Version'),
      example: 'test.version',
      run: () => SALT_VERSION,
    }),
    versions_information: reads({
      doc: 'Return the versions of this installation and its system.',
      returns: ret.dict('Versions by section'),
      example: 'test.versions_information',
      run: (ctx) => versionsInformation(ctx),
    }),
    versions_report: report,
    versions: report,
    conf_test: reads({
      doc: 'Return the option `test.foo`, or its default.',
      returns: ret.any('Value'),
      example: 'test.conf_test',
      run: (ctx) => ctx.call('config.option', ['test.foo']),
    }),
    get_opts: reads({
      doc: 'Return the options of this minion.',
      returns: ret.dict('Options'),
      example: 'test.get_opts',
      run: (ctx) => ctx.opts,
    }),
    opts_pkg: reads({
      doc: 'Return the options of this minion with its grains.',
      returns: ret.dict('Options'),
      example: 'test.opts_pkg',
      run: (ctx) => new Map<Value, Value>([...ctx.opts, ['grains', ctx.grains]]),
    }),
    cross_test: changes({
      doc: 'Call another function.',
      args: { func: arg.string('Function'), args: arg.list('Arguments of the function', { optional: true }) },
      returns: ret.any('Result of the function'),
      example: 'test.cross_test file.gid_to_group 0',
      run: (ctx, { func, args }) => ctx.call(func, args ?? []),
    }),
    try: changes({
      doc: 'Call another function, and return None if it fails.',
      args: {
        module: arg.string('Function'),
        return_try_exception: arg.boolean('Return the error in place of None', { default: false }),
        kwargs: arg.open('Arguments of the function'),
      },
      calledAs: 'try_',
      returns: ret.any('Result of the function'),
      run: async (ctx, { module, return_try_exception, kwargs }) => {
        try {
          return await ctx.call(module, [], kwargs)
        } catch (error) {
          return return_try_exception ? toError(error).message : null
        }
      },
    }),
    attr_call: reads({
      doc: 'Call `grains.items` and return the grains.',
      returns: ret.dict('Grains'),
      example: 'test.attr_call',
      run: (ctx) => ctx.call('grains.items'),
    }),
    module_report: reads({
      doc: 'Return all functions, by the ways to reach them.',
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
      doc: 'Return the module behind a virtual name, such as `pkg`.',
      args: { module: arg.string('Virtual name') },
      returns: ret.string('Module; empty if there is none'),
      example: 'test.provider service',
      run: (ctx, { module }) => providerOf(ctx, module),
    }),
    providers: reads({
      doc: 'Return all modules with their virtual names.',
      returns: ret.dict('Virtual names by module'),
      example: 'test.providers',
      run: async (ctx) => {
        const absent = new Set(await notLoaded(ctx))
        const providers: Dict = new Map()
        for (const name of moduleNames(ctx)) if (!absent.has(name)) providers.set(await providerOf(ctx, name), name)
        return providers
      },
    }),
    not_loaded: reads({
      doc: 'Return the modules that are not available on this minion.',
      returns: ret.texts('Names'),
      example: 'test.not_loaded',
      run: notLoaded,
    }),
    random_hash: reads({
      doc: 'Return the hash of a random number.',
      args: hashing,
      returns: ret.string('Hash'),
      example: 'test.random_hash hash_type=sha512',
      run: (ctx, { size, hash_type }) => randomHash(ctx, size, hash_type),
    }),
    rand_str: reads({
      doc: 'Return the hash of a random number. Old name of `random_hash`.',
      args: hashing,
      returns: ret.string('Hash'),
      run: (ctx, { size, hash_type }) => randomHash(ctx, size, hash_type),
    }),
    retcode: reads({
      doc: 'Set the return code of this call.',
      args: { code: arg.any('Return code; a value of another type is passed on unchanged', { default: 42 }) },
      returns: ret.boolean('True'),
      example: 'test.retcode 42',
      run: (ctx, { code }) => {
        ctx.memory.set('retcode', code)
        return true
      },
    }),
    exception: reads({
      doc: 'Raise an exception.',
      args: { message: arg.text('Text of the exception', { default: 'Test Exception' }) },
      example: "test.exception 'Oh noes!'",
      run: (_ctx, { message }) => {
        throw new PyError('Exception', message)
      },
    }),
    raise_exception: reads({
      doc: 'Raise an exception of a class, or return False if the class is unknown.',
      args: { name: arg.string('Class'), args: arg.rest('Arguments of the exception'), kwargs: arg.open('Ignored') },
      returns: ret.boolean('False'),
      example: "test.raise_exception TypeError 'An integer is required'",
      run: (ctx, { name, args }) => raise(ctx, name, args),
    }),
    assertion: reads({
      doc: 'Raise an AssertionError unless a value is true.',
      args: { assertion: arg.flag('Value, by its truth') },
      example: 'test.assertion False',
      run: (_ctx, { assertion }) => {
        if (!assertion) throw new PyError('AssertionError', '')
      },
    }),
    stack: reads({
      doc: 'Return the call stack.',
      returns: ret.string('Stack'),
      example: 'test.stack',
      run: () => new Error('stack').stack ?? '',
    }),
    tty: reads({
      doc: 'Return an error: this function is now `cmd.tty`.',
      args: { args, kwargs },
      returns: ret.string('Error text'),
      run: () => 'ERROR: This function has been moved to cmd.tty',
    }),
    deprecation_warning: reads({
      doc: 'Log two deprecation warnings and return True.',
      returns: ret.boolean('True'),
      run: (ctx) => {
        ctx.log('warning', 'This is a test deprecation warning by version.')
        ctx.log('warning', 'This is a test deprecation warning by date very far into the future (3000-01-01).')
        return true
      },
    }),
  },
})
