// Machines behind a minion that are reached by ssh and need nothing but a shell: `hosts` of the type `ssh` in pillar, with host, user,
// port, priv, timeout and the like. They answer `test.ping` and the functions of `cmd`.
import { type Dict, decodeBytes, isList, numberOf, SaltError, str, truthy, type Value } from '../../data/mod.ts'
import type { Host } from '../../host/mod.ts'
import { type ModuleTable, Registry } from '../../loader/mod.ts'
import { arg, changes, defineModule, type FunctionContext, type ModuleDeclaration, reads, ret } from '../../sdk/mod.ts'

interface Answer {
  stdout: string
  stderr: string
  retcode: number
}

const SECONDS = 30
const PING_SECONDS = 10

/** The words that reach a machine, without ever asking anybody anything. */
export function sshWords(machine: Dict, seconds: number): string[] {
  const text = (name: string): string => (truthy(machine.get(name) ?? null) ? str(machine.get(name)!) : '')
  const flag = (name: string): boolean => truthy(machine.get(name) ?? false)
  if (text('host') === '') throw new SaltError('CommandExecutionError', 'The resource has no host in pillar')
  const options = ['BatchMode=yes', 'LogLevel=ERROR', `ConnectTimeout=${seconds}`]
  if (flag('no_host_keys')) options.push('StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null')
  else if (flag('ignore_host_keys')) options.push('StrictHostKeyChecking=no')
  if (text('known_hosts_file') !== '') options.push(`UserKnownHostsFile=${text('known_hosts_file')}`)
  if (flag('identities_only')) options.push('IdentitiesOnly=yes')
  if (truthy(machine.get('keepalive') ?? true)) {
    options.push(`ServerAliveInterval=${text('keepalive_interval') || 60}`)
    options.push(`ServerAliveCountMax=${text('keepalive_count_max') || 3}`)
  }
  const more = machine.get('ssh_options')
  if (more !== undefined && isList(more)) options.push(...more.map(str))
  const key = text('priv') === '' ? [] : ['-i', text('priv')]
  const place = ['-p', text('port') || '22', '-l', text('user') || 'root', text('host')]
  return ['ssh', ...options.flatMap((option) => ['-o', option]), ...key, ...place]
}

async function over(host: Host, machine: Dict, command: string, wish: Value = null): Promise<Answer> {
  if ((await host.which('ssh')) === undefined)
    throw new SaltError('CommandExecutionError', 'The program ssh was not found')
  const seconds = numberOf(wish) ?? numberOf(machine.get('timeout') ?? null) ?? SECONDS
  const argv = [...sshWords(machine, seconds), command]
  const { stdout, stderr, retcode } = await host.run({ argv })
  return { stdout: decodeBytes(stdout, 'utf-8', 'replace'), stderr: decodeBytes(stderr, 'utf-8', 'replace'), retcode }
}

const SYSTEM = 'uname -snrm; cat /etc/os-release 2>/dev/null'

/** What a machine tells of itself in one go; nothing when it cannot be reached. */
export async function sshGrains(host: Host, machine: Dict): Promise<Dict> {
  const { stdout, retcode } = await over(host, machine, SYSTEM, PING_SECONDS)
  const [system = '', ...lines] = stdout.split('\n')
  const [kernel = '', nodename = '', kernelrelease = '', cpuarch = ''] = system.split(' ')
  if (retcode !== 0 && kernel === '') return new Map()
  const release = new Map(lines.map((line) => line.split(/=(.*)/).slice(0, 2) as [string, string]))
  const fact = (name: string): string => (release.get(name) ?? '').replace(/^"|"$/g, '')
  const grains = { kernel, kernelrelease, cpuarch, nodename, host: nodename.split('.')[0]! }
  const os = { os: fact('NAME').split(' ')[0]!, osrelease: fact('VERSION_ID'), oscodename: fact('VERSION_CODENAME') }
  return new Map(Object.entries({ ...grains, ...os }).filter(([, value]) => value !== ''))
}

const cmd = arg.any('The command line')
const timeout = arg.any('Seconds to wait for a connection', { optional: true })
const kwargs = arg.open('Accepted for compatibility, but for those that say as whom, where and in what a command runs')

/** What would change what a command may do: access lists ask for some of these, so they are not passed over in silence. */
const BINDING = ['runas', 'group', 'cwd', 'root', 'umask', 'env', 'clean_env']

function assertNotBound(kwargs: ReadonlyMap<string, Value>): void {
  const given = BINDING.filter((name) => truthy(kwargs.get(name) ?? null))
  if (given.length === 0) return
  throw new SaltError('SaltInvocationError', `Commands on machines by ssh do not take ${given.join(', ')}`)
}

function command(doc: string, name: string, machine: Dict, show: (answer: Answer, ctx: FunctionContext) => Value) {
  return changes({
    doc,
    args: { cmd, timeout, kwargs },
    returns: ret.any('What the function answers'),
    examples: [`salt -C 'T@ssh:web-01' cmd.${name} uptime`],
    run: async (ctx, { cmd, timeout, kwargs }) => {
      assertNotBound(kwargs)
      const answer = await over(ctx.host, machine, str(cmd), timeout)
      if (answer.retcode !== 0) ctx.memory.set('retcode', answer.retcode)
      return show(answer, ctx)
    },
  })
}

const commandsOf = (machine: Dict): ModuleDeclaration => {
  const output = ({ stdout }: Answer): Value => stdout.trimEnd()
  return defineModule({
    name: 'cmd',
    doc: 'Run commands on a machine by ssh.',
    functions: {
      run: command('Run a command; its output is returned.', 'run', machine, output),
      run_stdout: command('Run a command; its output is returned.', 'run_stdout', machine, output),
      shell: command('Run a command; its output is returned.', 'shell', machine, output),
      run_stderr: command('Run a command; its errors are returned.', 'run_stderr', machine, ({ stderr }) =>
        stderr.trimEnd(),
      ),
      run_all: command(
        'Run a command; code, output and errors are returned.',
        'run_all',
        machine,
        (answer) =>
          new Map<Value, Value>(
            Object.entries({ ...answer, stdout: answer.stdout.trimEnd(), stderr: answer.stderr.trimEnd() }),
          ),
      ),
      retcode: command('Run a command; its code is returned.', 'retcode', machine, ({ retcode }) => retcode),
    },
  })
}

const testsOf = (machine: Dict): ModuleDeclaration =>
  defineModule({
    name: 'test',
    doc: 'Whether a machine can be reached by ssh.',
    functions: {
      ping: reads({
        doc: 'Whether the machine answers.',
        args: {},
        returns: ret.boolean('Whether it does'),
        examples: ["salt -C 'T@ssh:web-01' test.ping"],
        run: async (ctx) => {
          const { stdout, stderr, retcode } = await over(ctx.host, machine, 'echo ping', PING_SECONDS)
          if (retcode !== 0) ctx.log('warning', `The resource does not answer by ssh: ${stderr.trim()}`)
          return retcode === 0 && stdout.includes('ping')
        },
      }),
    },
  })

/** The functions that a machine answers. */
export function sshFunctions(machine: Dict, { ctx }: Registry): Registry {
  const modules = [commandsOf(machine), testsOf(machine)]
  const table: ModuleTable = Object.fromEntries(
    modules.map((module) => [
      module.name,
      [{ functions: Object.keys(module.functions), always: true as const, load: async () => ({ default: module }) }],
    ]),
  )
  const { opts, grains, pillar, host, log } = ctx
  return new Registry(table, { opts, grains, pillar, host, log })
}
