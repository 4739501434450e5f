// Packages to restart after an upgrade: their processes use replaced files, or a newer kernel is installed.
import { lookup } from '../../../base/mod.ts'
import { decodeBytes, failure, isDict, isList, splitLines, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { oldFiles, programOf } from './module/old-files.ts'

interface Family {
  /** Command that lists the files of a package. */
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

/** Return the version of the newest kernel package, in the form of `uname -a`. */
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

/** A package with outdated processes, and the ways to restart it. */
interface Old {
  initscripts: string[]
  services: string[]
  processes: string[]
  processName: string
}

interface Request {
  ignored: string[]
  files: string[]
  pids: Value[]
  /** Raise an error when the time is over. */
  checkTime(): void
}

/** Return the main process id of each running service. */
async function runningServices(ctx: FunctionContext, { checkTime }: Request): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  const running = await ctx.call('service.get_running')
  for (const service of isList(running) ? running : []) {
    checkTime()
    const shown = await ctx.call('service.show', [service])
    const pid = isDict(shown) ? shown.get('ExecMainPID') : undefined
    if (pid !== undefined) found.set(str(service), Number(str(pid)))
  }
  return found
}

/** Return the packages with outdated files in memory, and the services to restart. */
async function findOld(
  ctx: FunctionContext,
  request: Request,
): Promise<{ packages: Map<string, Old>; services: string[] }> {
  const running = await runningServices(ctx, request)
  const packages = new Map<string, Old>()
  const services: string[] = []
  const owners = new Map<string, string>()
  for await (const { name, pid, path } of oldFiles(ctx.host)) {
    request.checkTime()
    if (request.files.includes(path) || request.pids.includes(pid)) continue
    const program = await programOf(ctx.host, pid)
    if (program === undefined) continue
    const owner = owners.get(program) ?? (await ownerOf(ctx, program)) ?? name
    owners.set(program, owner)
    if (request.ignored.includes(owner)) continue
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

/** Find the init scripts and services of a package, else a service named as its process. */
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

function reportText({ kernel, packages, restartable, others, serviceCommands, initCommands }: Findings): string {
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

/** Return whether a newer kernel is installed than the running one; false without a kernel package, as in containers. */
async function waitsForKernel(ctx: FunctionContext, family: Family): Promise<boolean> {
  const kernels = await family.kernels(ctx)
  const current = (await lines(ctx, 'uname', '-a')).join('\n')
  return kernels.length > 0 && !kernels.some((kernel) => current.includes(kernel))
}

export default defineModule({
  name: 'restartcheck',
  doc: 'Find processes to restart after an upgrade.',
  when: ({ grains }) => grains.get('kernel') === 'Linux' || 'The restartcheck module only works on Linux',
  functions: {
    restartcheck: reads({
      doc: 'Return the packages whose processes use files that were replaced since they started.',
      args: {
        ignorelist: arg.words('Packages to ignore, as a list or with commas; default: screen, systemd', {
          optional: true,
        }),
        blacklist: arg.words('Files to ignore, as a list or with commas', { optional: true }),
        excludepid: arg.any('Process id or list of process ids to ignore, as numbers', { optional: true }),
        kwargs: arg.open(
          '`verbose`, a report instead of a list of names (default True); `timeout` in minutes (default 5)',
        ),
      },
      returns: ret.any('A report, or a list of packages'),
      run: async (ctx, { ignorelist, blacklist, excludepid, kwargs }) => {
        const family = FAMILIES[str(ctx.grains.get('os_family') ?? '')]
        if (!family) {
          const comment = 'Only available on Debian, Red Hat and NI Linux Real-Time based systems.'
          return { result: false, comment }
        }
        const end = ctx.host.now() + Number(kwargs.get('timeout') ?? 5) * 60
        const checkTime = (): void => {
          if (ctx.host.now() > end) throw failure('Timeout expired.')
        }
        const pids = isList(excludepid) ? excludepid : [excludepid]
        const request = { ignored: ignorelist ?? ['screen', 'systemd'], files: blacklist ?? [], pids, checkTime }
        const kernel = await waitsForKernel(ctx, family)
        const { packages, services } = await findOld(ctx, request)
        if (packages.size === 0 && !kernel) return 'No packages seem to need to be restarted.'
        for (const [name, old] of packages) {
          checkTime()
          await findWays(ctx, family, name, old)
        }
        const found = sorted(packages, services, kernel)
        if (truthy(kwargs.get('verbose') ?? true)) return reportText(found)
        return [...found.restartable, ...found.others, ...(kernel ? [SYSTEM] : [])]
      },
    }),
  },
})
