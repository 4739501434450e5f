// Programs that supervisord keeps running, through supervisorctl.
import { floatFromText, SaltError, splitLines, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret, runAll, textAt } from '../../../sdk/mod.ts'

interface Where {
  user: Value
  conf_file: Value
  bin_env: Value
}

async function program(ctx: FunctionContext, environment: Value): Promise<string> {
  const missing = new SaltError('CommandExecutionError', 'Could not find a `supervisorctl` binary')
  if (!truthy(environment)) {
    const path = await ctx.host.which('supervisorctl')
    if (path === undefined) throw missing
    return path
  }
  const path = str(environment)
  if ((await ctx.host.stat(path))?.type !== 'directory') return path
  const inside = `${path.replace(/\/$/, '')}/bin/supervisorctl`
  if ((await ctx.host.stat(inside))?.type !== 'file') throw missing
  return inside
}

/** What supervisorctl said; a failure is marked as one. */
async function control(ctx: FunctionContext, verb: string, name: Value, where: Where): Promise<string> {
  const config = where.conf_file === null ? [] : ['-c', str(where.conf_file)]
  const target = truthy(name) ? [str(name)] : []
  const words = [await program(ctx, where.bin_env), ...config, verb, ...target]
  const { retcode, stdout } = await runAll(ctx, words, { runas: where.user })
  return retcode !== 0 && !stdout.includes('ERROR') ? `ERROR: ${stdout}` : stdout
}

/** `group:*` is `group:` to supervisorctl where it means the programs, and `group` where it means the group. */
const asPrograms = (name: string): string => name.replace(/:\*$/, ':')
const asGroup = (name: Value): Value => (typeof name === 'string' ? name.replace(/:\*?$/, '') : name)

interface Row {
  process: string
  state: string
  reason: string
}

function rows(text: string): Row[] {
  return splitLines(text).map((line) => {
    const [, process = '', state = '', reason = ''] = /^\s*(\S+)\s+(\S+)\s*(.*)$/s.exec(line) ?? []
    return { process, state, reason }
  })
}

const CONFIGS = ['/etc/supervisor/supervisord.conf', '/etc/supervisord.conf']

async function options(ctx: FunctionContext, name: string, file: string | null): Promise<Map<Value, Value>> {
  const paths = file === null ? CONFIGS : [file]
  let text: string | undefined
  for (const path of paths) text ??= await textAt(ctx.host, path)
  if (text === undefined && file === null) {
    throw new SaltError('CommandExecutionError', 'No suitable config file found')
  }
  const section = sectionOf(text ?? '', `program:${name}`)
  if (section === undefined) throw new SaltError('CommandExecutionError', `Process '${name}' not found`)
  return new Map([...section].map(([key, value]): [Value, Value] => [key, readOption(value)]))
}

/** A section of a file as Python's ConfigParser reads it: names in small letters, indented lines go on. */
function sectionOf(text: string, wanted: string): Map<string, string> | undefined {
  let section: Map<string, string> | undefined
  let isInside = false
  let last: string | undefined
  for (const line of splitLines(text).filter((raw) => !/^\s*([#;]|$)/.test(raw))) {
    const header = /^\[(.+)\]/.exec(line)?.[1]
    const [, key, value] = /^(.*?)\s*[=:]\s*(.*)$/.exec(line.trim()) ?? []
    if (header !== undefined) {
      isInside = header === wanted
      if (isInside) section ??= new Map()
    } else if (isInside && last !== undefined && /^\s/.test(line)) {
      section!.set(last, `${section!.get(last)}\n${line.trim()}`)
    } else if (isInside && key !== undefined) {
      last = key.toLowerCase()
      section!.set(last, value!.trim())
    }
  }
  return section
}

function readOption(raw: string): Value {
  const text = raw.split(';')[0]!.trim()
  if (/^[+-]?\d+$/.test(text)) return Number(text)
  if (/^[+-]?(\d+\.\d*|\.\d+|\d+)(e[+-]?\d+)?$/i.test(text)) return floatFromText(text)
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  return text
}

const where = {
  user: arg.text('Whom supervisorctl runs as', { optional: true }),
  conf_file: arg.text('The configuration of supervisord', { optional: true }),
  bin_env: arg.text('The path of supervisorctl, or of a virtual environment with it', { optional: true }),
}
const name = arg.any('The program, or a group with a colon')
const everyone = arg.text('The program, or a group with a colon', { default: 'all' })
const maybe = arg.any('The program', { optional: true })

const programs = (doc: string, verb: string) =>
  changes({
    doc,
    example: `supervisord.${verb} <service>`,
    args: { name: everyone, ...where },
    run: (ctx, { name, ...place }) => control(ctx, verb, asPrograms(name), place),
  })

const group = (doc: string, verb: string) =>
  changes({
    doc,
    example: `supervisord.${verb} <name>`,
    args: { name, ...where },
    run: (ctx, { name, ...place }) => control(ctx, verb, asGroup(name), place),
  })

export default defineModule({
  name: 'supervisord',
  doc: 'Programs under supervisord.',
  functions: {
    start: programs('Start programs.', 'start'),
    restart: programs('Restart programs.', 'restart'),
    stop: programs('Stop programs.', 'stop'),
    add: group('Let what the configuration has of a group take effect.', 'add'),
    remove: group('Take a group out.', 'remove'),
    reread: changes({
      doc: 'Read the configuration again.',
      example: 'supervisord.reread',
      args: where,
      run: (ctx, place) => control(ctx, 'reread', null, place),
    }),
    update: changes({
      doc: 'Read the configuration again, and add, remove and restart what it changes.',
      example: 'supervisord.update',
      args: { ...where, name: maybe },
      run: (ctx, { name, ...place }) => control(ctx, 'update', asGroup(name), place),
    }),
    status: reads({
      doc: 'The programs and their states.',
      example: 'supervisord.status',
      args: { name: maybe, ...where },
      run: async (ctx, args) => {
        const { name, ...place } = args
        const found = rows(await control(ctx, 'status', name, place))
        return Object.fromEntries(found.map(({ process, state, reason }) => [process, { state, reason }]))
      },
      returns: ret.dict('The state, by process'),
    }),
    status_raw: reads({
      doc: 'What supervisorctl shows.',
      example: 'supervisord.status_raw',
      args: { name: maybe, ...where },
      run: (ctx, args) => {
        const { name, ...place } = args
        return control(ctx, 'status', name, place)
      },
    }),
    custom: changes({
      doc: 'Give supervisorctl any command.',
      example: 'supervisord.custom "mstop \'*gunicorn*\'"',
      args: { command: arg.string('The command'), ...where },
      run: (ctx, { command, ...place }) => control(ctx, command, null, place),
    }),
    options: reads({
      doc: 'The configuration of a program.',
      example: 'supervisord.options foo',
      args: { name: arg.string('The program'), conf_file: where.conf_file },
      run: (ctx, { name, conf_file }) => options(ctx, name, conf_file),
    }),
    status_bool: reads({
      doc: 'Whether a program is there, and in a state.',
      example: 'supervisord.status_bool nginx RUNNING',
      args: { name, expected_state: arg.any('The state', { optional: true }), ...where },
      run: async (ctx, { name, expected_state, ...place }) => {
        const last = rows(await control(ctx, `status ${str(name)}`, null, place)).at(-1)
        if (!last || last.reason === '(no such process)' || last.process !== name) return false
        return expected_state === null || last.state === expected_state
      },
    }),
  },
})
