// Commands in the containers of pods, and copies into and out of them with `tar` in the container.
import { decodeBytes, failure, misuse } from '../../../../data/mod.ts'
import { arg, baseName, changes, dirName, type FunctionContext, ret } from '../../../../sdk/mod.ts'
import { packed, unpacked } from '../client/copy.ts'
import { type ExecRequest, Execution } from '../client/exec.ts'
import { kindNamed } from '../kinds.ts'
import { clientFor, connection, type Kwargs, namespace, referenceFor } from './calling.ts'

/** Bytes of output that a command may have. */
const MOST_OUTPUT = 16 * 1024 * 1024
/** Bytes of the errors of `tar` that are kept. */
const MOST_ERRORS = 4096

const name = arg.text('Name of the pod')
const container = arg.text('Container, of a pod with several', { optional: true })
const copyTimeout = arg.count('Seconds that the copy may take', { default: 600, beyond: true })

const textOf = (pieces: readonly Uint8Array[]): string => decodeBytes(Buffer.concat(pieces), 'utf-8', 'replace')

interface PodCall extends Omit<ExecRequest, 'pod' | 'seconds'> {
  name: string
  namespace: string | null
  timeout: number
  kwargs: Kwargs
}

async function start(ctx: FunctionContext, { name, namespace, timeout, kwargs, ...request }: PodCall) {
  if (!(timeout > 0)) throw misuse(`timeout must be a number of seconds above 0, not ${timeout}`)
  const pod = await referenceFor(ctx, kindNamed('pod'), name, namespace)
  return Execution.start(await clientFor(ctx, kwargs), { ...request, pod, seconds: timeout })
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

/** Run a command; return its output and exit code. */
async function runCommand(ctx: FunctionContext, call: PodCall) {
  const execution = await start(ctx, call)
  const printed: Record<'stdout' | 'stderr', Uint8Array[]> = { stdout: [], stderr: [] }
  let size = 0
  for await (const { stream, data } of execution.output()) {
    size += data.length
    if (size > MOST_OUTPUT) throw failure(`The command prints more than ${MOST_OUTPUT} bytes in pod ${call.name}`)
    printed[stream].push(data)
  }
  const [stdout, stderr] = [textOf(printed.stdout), textOf(printed.stderr)]
  if (!execution.timedOut) return { stdout, stderr, retcode: execution.retcode }
  const waiting =
    call.stdin === undefined || execution.endsStdin
      ? ''
      : '; this API server cannot tell a command that stdin is complete: Kubernetes 1.30 can'
  const about = `exec timed out after ${call.timeout}s; command may still be running in the pod${waiting}.`
  return { stdout, stderr: `${stderr}\n${about}\n`, retcode: -1 }
}

/** Return the output of `tar`, which keeps the start of its errors. */
async function* archiveOf(execution: Execution, errors: Uint8Array[]): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const { stream, data } of execution.output()) {
    if (stream === 'stdout') yield data
    else if ((size += data.length) <= MOST_ERRORS) errors.push(data)
  }
}

/** Fail unless `tar` ended well. */
function checkCopy(execution: Execution, errors: readonly Uint8Array[], fun: string, seconds: number): void {
  if (execution.timedOut) throw failure(`${fun} timed out after ${seconds}s`)
  let retcode: number
  try {
    retcode = execution.retcode
  } catch (error) {
    const { message } = error as Error
    throw /executable file not found|no such file or directory/.test(message)
      ? failure(`${fun} needs the program tar in the container: ${message}`)
      : error
  }
  const said = textOf(errors).trim()
  if (retcode === 127) throw failure(`${fun} needs the programs tar, head and sh in the container: ${said}`)
  if (retcode !== 0) throw failure(`${fun} failed (retcode=${retcode}); pod stderr: ${said || '(empty)'}`)
}

const isDirectory = async (ctx: FunctionContext, path: string): Promise<boolean> =>
  (await ctx.host.stat(path))?.type === 'directory'

const withoutSlash = (path: string): string => path.replace(/(?<=.)\/+$/, '')

async function copyTo(ctx: FunctionContext, source: string, target: string, call: Omit<PodCall, 'command'>) {
  const { size, bytes } = await packed(ctx.host, withoutSlash(source))
  const execution = await start(ctx, {
    ...call,
    command: ['tar', 'xf', '-', '-C', target],
    // tar reads on until its input ends
    commandWithoutEnd: ['sh', '-c', 'head -c "$1" | tar xf - -C "$2"', 'sh', String(size), target],
    stdin: bytes,
  })
  const errors: Uint8Array[] = []
  for await (const _ of archiveOf(execution, errors));
  checkCopy(execution, errors, 'cp_to', call.timeout)
  return { retcode: 0 }
}

async function copyFrom(
  ctx: FunctionContext,
  source: string,
  { target, most, ...call }: Omit<PodCall, 'command'> & { target: string; most: number },
) {
  if (!(await isDirectory(ctx, target))) throw failure(`Local destination must be a directory: ${target}`)
  const path = withoutSlash(source)
  const leaf = baseName(path)
  if (['', '.', '..'].includes(leaf)) throw misuse(`src_path must end in the name of a file or directory: ${source}`)
  const command = ['tar', 'cf', '-', '-C', dirName(path) || '/', leaf.startsWith('-') ? `./${leaf}` : leaf]
  const execution = await start(ctx, { ...call, command })
  const errors: Uint8Array[] = []
  const archive = archiveOf(execution, errors)
  const confirm = async (): Promise<void> => {
    for await (const _ of archive);
    checkCopy(execution, errors, 'cp_from', call.timeout)
  }
  try {
    await unpacked(ctx.host, archive, { target, name: leaf, most, confirm })
  } catch (error) {
    // why the archive was cut short
    if (execution.isOver) checkCopy(execution, errors, 'cp_from', call.timeout)
    throw error
  } finally {
    execution.abort()
  }
  return { retcode: 0 }
}

export const podFunctions = {
  exec: changes({
    doc: 'Run a command in a container of a pod.',
    example: "kubernetes.exec web-1 'ls -l /srv'",
    args: {
      name,
      command: arg.textOrList('Line for `/bin/sh -c`, or a list: the program and its arguments'),
      namespace,
      container,
      stdin: arg.text('Text for stdin of the command', { optional: true, secret: true }),
      tty: arg.flag('Whether the command gets a terminal, which joins stderr to stdout', { default: false }),
      timeout: arg.count('Seconds that the command may take', { default: 60 }),
      kwargs: connection,
    },
    returns: ret.dict('`stdout`, `stderr` and `retcode`, which is -1 when the time was over'),
    run: (ctx, { command, stdin, ...call }) => {
      const argv = typeof command === 'string' ? ['/bin/sh', '-c', command] : command.map(String)
      if (argv.length === 0 || argv[0] === '') throw misuse('The command is empty')
      return runCommand(ctx, { ...call, command: argv, ...(stdin !== null && { stdin: once(stdin) }) })
    },
  }),
  cp_to: changes({
    doc: 'Copy a file or directory of the minion into a container, which needs the program `tar`.',
    example: 'kubernetes.cp_to web-1 /srv/site /var/www',
    args: {
      name,
      src_path: arg.text('File or directory on the minion'),
      dst_path: arg.text('Directory in the container; the copy has the name of the source there'),
      namespace,
      container,
      timeout: copyTimeout,
      kwargs: connection,
    },
    returns: ret.dict('`retcode`'),
    run: (ctx, { src_path, dst_path, ...call }) => copyTo(ctx, src_path, dst_path, call),
  }),
  cp_from: changes({
    doc: 'Copy a file or directory of a container, which needs the program `tar`, to the minion.',
    example: 'kubernetes.cp_from web-1 /var/log/app /srv/logs',
    args: {
      name,
      src_path: arg.text('File or directory in the container'),
      dst_path: arg.text('Existing directory on the minion; the copy has the name of the source there'),
      namespace,
      container,
      timeout: copyTimeout,
      max_size: arg.count('Bytes that all files together may have', { default: 10 * 1024 ** 3, beyond: true }),
      kwargs: connection,
    },
    returns: ret.dict('`retcode`'),
    run: (ctx, { src_path, dst_path, max_size, ...call }) =>
      copyFrom(ctx, src_path, { ...call, target: dst_path, most: max_size }),
  }),
}
