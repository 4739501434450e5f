// Parameters of a Linux kernel, through the sysctl command; those set for good stand in a file, which Salt keeps apart
// where systemd reads /etc/sysctl.d.
import { reEscape, SaltError, splitLines, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  isBootedWithSystemd,
  isHostError,
  outputOf,
  type Result,
  reads,
  runAll,
  systemdVersion,
  textAt,
} from '../../../sdk/mod.ts'

const failure = (text: string): SaltError => new SaltError('CommandExecutionError', text)

async function program(ctx: FunctionContext, name: string): Promise<string> {
  const path = await ctx.host.which(name)
  if (path === undefined) throw failure(`Command '${name}' cannot be found`)
  return path
}

async function defaultFile(ctx: FunctionContext): Promise<string> {
  const isModern = (await isBootedWithSystemd(ctx.host)) && Number(await systemdVersion(ctx)) >= 207
  return isModern ? '/etc/sysctl.d/99-salt.conf' : '/etc/sysctl.conf'
}

/** `key = value`, line by line; a file may leave the blanks out and have comments. */
function assignments(text: string, separator: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const line of splitLines(text)) {
    const at = line.indexOf(separator)
    if (at < 0 || line.trim().startsWith('#')) continue
    found[line.slice(0, at).trim()] = line.slice(at + separator.length).trim()
  }
  return found
}

async function show(ctx: FunctionContext, file: Value): Promise<Result> {
  if (!truthy(file)) {
    const all = [await program(ctx, 'sysctl'), '-a']
    const shown = await ctx.call('cmd.run_stdout', [all], { output_loglevel: 'trace' })
    return assignments(str(shown), ' = ')
  }
  if (!(await ctx.host.access(str(file), 'exists'))) return []
  const text = await textAt(ctx.host, str(file))
  if (text === undefined) ctx.log('error', 'Could not open sysctl file')
  return text === undefined ? null : assignments(text, '=')
}

const get = async (ctx: FunctionContext, name: string): Promise<string> =>
  outputOf(ctx, [await program(ctx, 'sysctl'), '-n', name])

async function assign(ctx: FunctionContext, name: string, value: Value): Promise<Record<string, string>> {
  const path = name.replaceAll(/[./]/g, (mark) => (mark === '.' ? '/' : '.'))
  if (!(await ctx.host.access(`/proc/sys/${path}`, 'exists'))) throw failure(`sysctl ${name} does not exist`)
  const command = [await program(ctx, 'sysctl'), '-w', `${name}=${str(value)}`]
  const { retcode, stdout, stderr } = await runAll(ctx, command)
  const confirmed = new RegExp(`^${reEscape(name)}\\s+=\\s+${reEscape(str(value))}\\n?$`)
  if (!confirmed.test(stdout) || stderr.includes('Invalid argument')) {
    throw failure(`sysctl -w failed: ${retcode !== 0 && stderr !== '' ? stderr : stdout}`)
  }
  const at = stdout.indexOf(' = ')
  return { [stdout.slice(0, at)]: stdout.slice(at + 3) }
}

/** Blanks of any kind and number mean the same. */
const evened = (value: Value): string => str(value).replaceAll(/\s+/g, '\t')

async function written(ctx: FunctionContext, file: string, text: string): Promise<void> {
  try {
    await ctx.host.write(file, text)
  } catch (error) {
    if (isHostError(error)) throw failure(`Could not write to file: ${file}`)
    throw error
  }
}

async function persist(ctx: FunctionContext, name: string, value: Value, config: string | null): Promise<string> {
  const file = config === null ? await defaultFile(ctx) : config
  if ((await ctx.host.stat(file))?.type !== 'file') {
    await ctx.host.makeDirectory(file.slice(0, file.lastIndexOf('/')) || '/', { parents: true })
    await written(ctx, file, '#\n# Kernel sysctl configuration\n#\n')
  }
  const text = await textAt(ctx.host, file)
  if (text === undefined) throw failure(`Could not read from file: ${file}`)
  const wanted = `${name} = ${str(value)}\n`
  let isThere = false
  const lines: string[] = []
  for (const line of splitLines(text, true)) {
    const at = line.indexOf('=')
    if (at < 0 || line.slice(0, at).trim() !== name) {
      lines.push(line)
      continue
    }
    if (evened(line.slice(at + 1).trim()) === evened(value)) {
      if (evened(await get(ctx, name)) === evened(value)) return 'Already set'
      await assign(ctx, name, value)
      return 'Updated'
    }
    lines.push(wanted)
    isThere = true
  }
  await written(ctx, file, lines.join('') + (isThere ? '' : wanted))
  await assign(ctx, name, value)
  return 'Updated'
}

const name = arg.string('The parameter')
const value = arg.any('Its value')

export default defineModule({
  name: 'linux_sysctl',
  doc: 'Parameters of the kernel.',
  virtual: 'sysctl',
  when: ({ grains }) =>
    grains.get('kernel') === 'Linux' ||
    'The linux_sysctl execution module cannot be loaded: only available on Linux systems.',
  functions: {
    default_config: reads({
      doc: 'The file that keeps parameters.',
      example: 'sysctl.default_config',
      args: {},
      run: defaultFile,
    }),
    show: reads({
      doc: 'All parameters, or those in a file.',
      example: 'sysctl.show',
      args: { config_file: arg.any('The file', { default: false }) },
      run: (ctx, { config_file }) => show(ctx, config_file),
    }),
    get: reads({
      doc: 'A parameter.',
      example: 'sysctl.get net.ipv4.ip_forward',
      args: { name },
      run: (ctx, { name }) => get(ctx, name),
    }),
    assign: changes({
      doc: 'Set a parameter until the next boot.',
      example: 'sysctl.assign net.ipv4.ip_forward 1',
      args: { name, value },
      run: (ctx, { name, value }) => assign(ctx, name, value),
    }),
    persist: changes({
      doc: 'Set a parameter for good.',
      example: 'sysctl.persist net.ipv4.ip_forward 1',
      args: { name, value, config: arg.text('The file; what default_config names when not given', { optional: true }) },
      run: (ctx, { name, value, config }) => persist(ctx, name, value, config),
    }),
  },
})
