// Kernel modules of Linux: loaded, available, and loaded at boot.
import { reEscape, splitLines, splitWords, str, truthy } from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  namesIn,
  oneLine,
  operand,
  outputOf,
  type Result,
  reads,
  requiredProgram,
  ret,
  runAll,
  textAt,
} from '../../../sdk/mod.ts'

interface Loaded {
  readonly size: string
  readonly module: string
  readonly depcount: string
  readonly deps: string[]
}

async function loadedModules(ctx: FunctionContext): Promise<Loaded[]> {
  const rows = splitLines(await outputOf(ctx, await requiredProgram(ctx, 'lsmod'))).map(splitWords)
  return rows
    .filter(([module, , depcount]) => depcount !== undefined && module !== 'Module')
    .map(([module = '', size = '', depcount = '', deps]) => ({ size, module, depcount, deps: deps?.split(',') ?? [] }))
}

const loadedNames = async (ctx: FunctionContext): Promise<Set<string>> =>
  new Set((await loadedModules(ctx)).map(({ module }) => module))

/** Return the module files below a directory, by the kernel's name. */
async function moduleFiles(ctx: FunctionContext, folder: string): Promise<string[]> {
  const found: string[] = []
  for (const name of await namesIn(ctx.host, folder)) {
    const path = `${folder}/${name}`
    const type = (await ctx.host.lstat(path))?.type
    if (type === 'directory') found.push(...(await moduleFiles(ctx, path)))
    else if (name.includes('.ko')) found.push(name.slice(0, name.indexOf('.ko')).replaceAll('-', '_'))
  }
  return found
}

async function available(ctx: FunctionContext): Promise<string[]> {
  const release = str(ctx.grains.get('kernelrelease') ?? '')
  const folder = `/lib/modules/${release}`
  const builtIn = splitLines((await textAt(ctx.host, `${folder}/modules.builtin`)) ?? '')
  const found = builtIn.map((line) => line.slice(line.lastIndexOf('/') + 1).replace(/\.ko$/, ''))
  found.push(...(await moduleFiles(ctx, folder)))
  if (str(ctx.grains.get('os_family') ?? '').includes('Arch')) {
    found.push(...(await moduleFiles(ctx, `/lib/modules/extramodules-${release.slice(0, 3)}-ARCH`)))
  }
  return found.sort()
}

const bootFile = (ctx: FunctionContext): string =>
  ctx.grains.has('systemd') ? '/etc/modules-load.d/salt_managed.conf' : '/etc/modules'

async function atBoot(ctx: FunctionContext): Promise<Set<string>> {
  const lines = splitLines((await textAt(ctx.host, bootFile(ctx))) ?? '').map((line) => line.trim())
  return new Set(lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => splitWords(line)[0]!))
}

const named = async (ctx: FunctionContext, onlyAtBoot: boolean): Promise<string[]> =>
  [...(onlyAtBoot ? await atBoot(ctx) : await loadedNames(ctx))].sort()

async function loadAtBoot(ctx: FunctionContext, mod: string): Promise<string[]> {
  const file = bootFile(ctx)
  if (!(await ctx.host.access(file, 'exists'))) await ctx.call('file.touch', [file])
  const [name] = splitWords(mod)
  if (name === undefined || (await atBoot(ctx)).has(name) || !(await available(ctx)).includes(name)) return []
  const pattern = reEscape(mod)
  const isCommented = await ctx.call('file.search', [file, `^#[\t ]*${pattern}[\t ]*$`], { multiline: true })
  if (truthy(isCommented)) await ctx.call('file.uncomment', [file, pattern])
  else await ctx.call('file.append', [file, mod])
  return [name]
}

async function forgetAtBoot(ctx: FunctionContext, mod: string, comment: boolean): Promise<string[]> {
  const [name] = splitWords(mod)
  if (name === undefined || !(await atBoot(ctx)).has(name)) return []
  const pattern = `^[\t ]*${reEscape(mod)}[\t ]?`
  if (comment) await ctx.call('file.comment', [bootFile(ctx), pattern])
  else await ctx.call('file.sed', [bootFile(ctx), pattern, ''])
  return [name]
}

/** Return the names that are only in the first set, and the additional ones. */
const beyond = (more: Set<string>, less: Set<string>, further: readonly string[]): string[] =>
  [...new Set([...[...more].filter((name) => !less.has(name)), ...further])].sort()

/** Return the words of a module and its parameters, such as `bonding mode=1`. */
const moduleWords = (mod: string): string[] =>
  splitWords(oneLine('A kernel module', mod)).map((word) => operand('A kernel module', word))

async function load(ctx: FunctionContext, mod: string, persist: boolean): Promise<Result> {
  const before = await loadedNames(ctx)
  const { retcode, stderr } = await runAll(ctx, [await requiredProgram(ctx, 'modprobe'), ...moduleWords(mod)])
  if (retcode !== 0) return `Error loading module ${mod}: ${stderr}`
  const after = await loadedNames(ctx)
  return beyond(after, before, persist ? await loadAtBoot(ctx, mod) : [])
}

async function remove(ctx: FunctionContext, mod: string, persist: boolean, comment: boolean): Promise<Result> {
  const before = await loadedNames(ctx)
  const { retcode, stderr } = await runAll(ctx, [await requiredProgram(ctx, 'rmmod'), ...moduleWords(mod)])
  if (retcode !== 0) return `Error removing module ${mod}: ${stderr}`
  const after = await loadedNames(ctx)
  return beyond(before, after, persist ? await forgetAtBoot(ctx, mod, comment) : [])
}

const mod = arg.string('Kernel module')
const persist = arg.flag('Whether to change the modules loaded at boot as well', { default: false })

export default defineModule({
  name: 'kmod',
  doc: 'Manage kernel modules.',
  when: ({ grains }) => grains.get('kernel') === 'Linux' || '',
  functions: {
    available: reads({
      doc: 'Return the available modules.',
      run: available,
      returns: ret.texts('The names'),
    }),
    check_available: reads({
      doc: 'Return whether a module is available.',
      example: 'kmod.check_available kvm',
      args: { mod },
      run: async (ctx, args) => (await available(ctx)).includes(args.mod),
    }),
    lsmod: reads({
      doc: 'Return the loaded modules with size and users.',
      run: async (ctx) => (await loadedModules(ctx)).map((row) => ({ ...row })),
    }),
    mod_list: reads({
      doc: 'Return the names of the loaded modules.',
      args: { only_persist: arg.flag('Whether to return the modules loaded at boot instead', { default: false }) },
      run: (ctx, { only_persist }) => named(ctx, only_persist),
      returns: ret.texts('The names'),
    }),
    load: changes({
      doc: 'Load a module.',
      example: 'kmod.load kvm',
      args: { mod, persist },
      run: (ctx, { mod, persist }) => load(ctx, mod, persist),
    }),
    is_loaded: reads({
      doc: 'Return whether a module is loaded.',
      example: 'kmod.is_loaded kvm',
      args: { mod },
      run: async (ctx, { mod }) => (await loadedNames(ctx)).has(mod),
    }),
    remove: changes({
      doc: 'Unload a module.',
      example: 'kmod.remove kvm',
      args: {
        mod,
        persist,
        comment: arg.flag('Whether to comment out the line for boot instead of removing it', { default: true }),
      },
      run: (ctx, { mod, persist, comment }) => remove(ctx, mod, persist, comment),
    }),
  },
})
