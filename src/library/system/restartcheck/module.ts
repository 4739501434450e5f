// Which packages must be restarted after an upgrade: their processes still use files that were replaced, or a newer kernel waits.
import { lookup } from '../../../base/mod.ts'
import { decodeBytes, isDict, isList, SaltError, splitLines, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { oldFiles, programOf } from './module/old-files.ts'

interface Family {
  /** Lists the files of a package. */
  files: string[]
  folder: string
  systemd: string
  kernels(ctx: FunctionContext): Promise<string[]>
}

async function lines(ctx: FunctionContext, ...argv: string[]): Promise<string[]> {
  if ((await ctx.host.which(argv[0]!)) === undefined) return []
  const { stdout } = await ctx.host.run({ argv })
  return splitLines(decodeBytes(stdout))
}

/** The version of the newest kernel package, as `uname -a` tells it. */
async function debianKernels(ctx: FunctionContext): Promise<string[]> {
  const chosen = await lines(ctx, 'dpkg', '--get-selections', 'linux-image-*')
  const name = (chosen.at(-2) ?? chosen[0])?.split(/\s/)[0]
  if (!name) return []
  const policy = await lines(ctx, 'apt-cache', 'policy', name)
  const version = policy.find((line) => line.startsWith('  Installed: '))?.slice('  Installed: '.length)
  if (version === undefined) return []
  if (ctx.grains.get('os') !== 'Ubuntu') return [version]
  const [, base, build] = /^(.*)\.([^.]*)$/.exec(version) ?? ['', version, '']
  return [version, `${base}-generic #${build}`, `${base}-lowlatency #${build}`]
}

async function redhatKernels(ctx: FunctionContext): Promise<string[]> {
  const last = (await lines(ctx, 'rpm', '-q', '--last', 'kernel')).find((line) => line.includes('kernel-'))
  return last === undefined ? [] : [last.split(' ')[0]!.replace(/^kernel-/, '')]
}

const FAMILIES: Readonly<Record<string, Family>> = lookup({
  Debian: {
    files: ['dpkg-query', '--listfiles'],
    folder: '/lib/systemd/system/',
    systemd: '/bin/systemd',
    kernels: debianKernels,
  },
  RedHat: {
    files: ['repoquery', '-l'],
    folder: '/usr/lib/systemd/system/',
    systemd: '/usr/bin/systemctl',
    kernels: redhatKernels,
  },
})

/** A package, its processes, and what can restart it. */
interface Old {
  initscripts: string[]
  services: string[]
  processes: string[]
  processName: string
}

interface Wish {
  ignored: Value[]
  files: Value[]
  pids: Value[]
  /** Fails when the time is over. */
  mindTime(): void
}

const listOf = (value: Value, fallback: Value[]): Value[] =>
  !truthy(value) ? fallback : isList(value) ? [...value] : [value]

/** Running services by the process each of them is. */
async function runningServices(ctx: FunctionContext, { mindTime }: Wish): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  const running = await ctx.call('service.get_running')
  for (const service of isList(running) ? running : []) {
    mindTime()
    const shown = await ctx.call('service.show', [service])
    const pid = isDict(shown) ? shown.get('ExecMainPID') : undefined
    if (pid !== undefined) found.set(str(service), Number(str(pid)))
  }
  return found
}

/** Packages with old files in memory, and the services that are to be restarted for it. */
async function findOld(ctx: FunctionContext, wish: Wish): Promise<{ packages: Map<string, Old>; services: string[] }> {
  const running = await runningServices(ctx, wish)
  const packages = new Map<string, Old>()
  const services: string[] = []
  const owners = new Map<string, string>()
  for await (const { name, pid, path } of oldFiles(ctx.host)) {
    wish.mindTime()
    if (wish.files.includes(path) || wish.pids.includes(pid)) continue
    const program = await programOf(ctx.host, pid)
    if (program === undefined) continue
    const owner = owners.get(program) ?? (await ownerOf(ctx, program)) ?? name
    owners.set(program, owner)
    if (wish.ignored.includes(owner)) continue
    const service = [...running].find(([each, main]) => main === pid && !services.includes(each))?.[0]
    if (service !== undefined) services.push(service)
    const line = `\t${pid} ${program} (file: ${path})`
    const known = packages.get(owner)
    if (!known) {
      packages.set(owner, { initscripts: [], services: [], processes: [line], processName: service ?? name })
    } else if (!known.processes.includes(line)) known.processes.push(line)
  }
  return { packages, services }
}

async function ownerOf(ctx: FunctionContext, program: string): Promise<string | undefined> {
  const owner = await ctx.call('pkg.owner', [program])
  return truthy(owner) ? str(owner) : undefined
}

/** Scripts and services among the files of a package; else one that is named as its process. */
async function findWays(ctx: FunctionContext, family: Family, name: string, old: Old): Promise<void> {
  const hasSystemd = (await ctx.host.stat(family.systemd)) !== undefined
  for (const path of await lines(ctx, ...family.files, name)) {
    if (path.startsWith('/etc/init.d/') && !path.endsWith('.sh')) old.initscripts.push(path.slice(12))
    const isUnit = path.startsWith(family.folder) && path.endsWith('.service') && !path.includes('.wants')
    if (hasSystemd && isUnit && (await ctx.host.stat(path))) old.services.push(path.slice(family.folder.length))
  }
  if (old.initscripts.length > 0 || old.services.length > 0) return
  if (!truthy(await ctx.call('service.available', [old.processName]))) return
  const hasScript = (await ctx.host.stat(`/etc/init.d/${old.processName}`)) !== undefined
  ;(hasScript ? old.initscripts : old.services).push(old.processName)
}

interface Findings {
  kernel: boolean
  packages: Map<string, Old>
  restartable: string[]
  others: string[]
  serviceCommands: string[]
  initCommands: string[]
}

function sorted(packages: Map<string, Old>, services: string[], kernel: boolean): Findings {
  const found: Findings = { kernel, packages, restartable: [], others: [], serviceCommands: [], initCommands: [] }
  const left = new Set(services)
  for (const [name, { initscripts, services, processName }] of packages) {
    left.delete(processName)
    const isRestartable = initscripts.length > 0 || services.length > 0
    ;(isRestartable ? found.restartable : found.others).push(name)
    if (initscripts.length > 0) found.initCommands.push(...initscripts.map((each) => `service ${each} restart`))
    else found.serviceCommands.push(...services.map((each) => `systemctl restart ${each}`))
  }
  found.serviceCommands.push(...[...left].map((each) => `systemctl restart ${each}`))
  return found
}

const SYSTEM = 'System restart required.'

function told({ kernel, packages, restartable, others, serviceCommands, initCommands }: Findings): string {
  const listed = (names: readonly string[]): string =>
    names
      .map(
        (name) =>
          `${name}:\n${packages
            .get(name)!
            .processes.map((line) => `${line}\n`)
            .join('')}`,
      )
      .join('')
  let text = kernel ? `${SYSTEM}\n\n` : ''
  if (packages.size > 0) {
    text += `Found ${packages.size} processes using old versions of upgraded files.\nThese are the packages:\n`
  }
  if (restartable.length > 0) {
    const what = 'seem to contain systemd service definitions or init scripts which can be used to restart them'
    text += `Of these, ${restartable.length} ${what}:\n${listed(restartable)}`
    if (serviceCommands.length > 0) text += `\n\nThese are the systemd services:\n${serviceCommands.join('\n')}`
    if (initCommands.length > 0) text += `\n\nThese are the initd scripts:\n${initCommands.join('\n')}`
  }
  if (others.length > 0) {
    const what = 'do not seem to have an associated init script to restart them'
    text += `\n\nThese processes ${others.length} ${what}:\n${listed(others)}`
  }
  return text
}

/** Whether a newer kernel waits; where none is installed, as in containers, none does. */
async function waitsForKernel(ctx: FunctionContext, family: Family): Promise<boolean> {
  const kernels = await family.kernels(ctx)
  const current = (await lines(ctx, 'uname', '-a')).join('\n')
  return kernels.length > 0 && !kernels.some((kernel) => current.includes(kernel))
}

export default defineModule({
  name: 'restartcheck',
  doc: 'Find what must be restarted after an upgrade.',
  when: ({ grains }) => grains.get('kernel') === 'Linux' || 'The restartcheck module only works on Linux',
  functions: {
    restartcheck: reads({
      doc: 'The packages whose processes use files that were replaced since they started.',
      args: {
        ignorelist: arg.any('Packages to leave out; screen and systemd unless given', { optional: true }),
        blacklist: arg.any('Files to leave out', { optional: true }),
        excludepid: arg.any('Processes to leave out', { optional: true }),
        kwargs: arg.open(
          '`verbose`, a report instead of a list of names (default True); `timeout` in minutes (default 5)',
        ),
      },
      returns: ret.any('A report, or a list of packages'),
      example: 'restartcheck.restartcheck',
      run: async (ctx, { ignorelist, blacklist, excludepid, kwargs }) => {
        const family = FAMILIES[str(ctx.grains.get('os_family') ?? '')]
        if (!family) {
          const comment = 'Only available on Debian, Red Hat and NI Linux Real-Time based systems.'
          return { result: false, comment }
        }
        const end = ctx.host.now() + Number(kwargs.get('timeout') ?? 5) * 60
        const mindTime = (): void => {
          if (ctx.host.now() > end) throw new SaltError('CommandExecutionError', 'Timeout expired.')
        }
        const ignored = listOf(ignorelist, ['screen', 'systemd'])
        const wish: Wish = { ignored, files: listOf(blacklist, []), pids: listOf(excludepid, []), mindTime }
        const kernel = await waitsForKernel(ctx, family)
        const { packages, services } = await findOld(ctx, wish)
        if (packages.size === 0 && !kernel) return 'No packages seem to need to be restarted.'
        for (const [name, old] of packages) {
          mindTime()
          await findWays(ctx, family, name, old)
        }
        const found = sorted(packages, services, kernel)
        if (truthy(kwargs.get('verbose') ?? true)) return told(found)
        return [...found.restartable, ...found.others, ...(kernel ? [SYSTEM] : [])]
      },
    }),
  },
})
