// Tables of incron: what is done when something happens to a file. `system` stands for the file of our own below
// /etc/incron.d; a line has a path, a mask of events and a command, and a command of one word is kept as it is found.
import { type Dict, PyError, splitLines, splitWords, str, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, textAt } from '../../../sdk/mod.ts'

const FOLDER = '/etc/incron.d/'
const FILE = 'salt'
const EVENTS =
  'ACCESS ATTRIB CLOSE_WRITE CLOSE_NOWRITE CREATE DELETE DELETE_SELF MODIFY MOVE_SELF MOVED_FROM MOVED_TO OPEN ALL_EVENTS MOVE CLOSE DONT_FOLLOW ONESHOT ONLYDIR NO_LOOP'
const MASKS = new Set(EVENTS.split(' ').map((name) => `IN_${name}`))

interface Job {
  path: Value
  mask: string
  cmd: Value
}

interface Table {
  crons: Job[]
  pre: string[]
}

const rawSystem = async (ctx: FunctionContext): Promise<string> => (await textAt(ctx.host, `${FOLDER}${FILE}`)) ?? ''

const rawOf = async (ctx: FunctionContext, user: string): Promise<string> =>
  str(
    await ctx.call('cmd.run_stdout', [`incrontab -l ${user}`], {
      rstrip: false,
      runas: user,
      python_shell: false,
    }),
  )

async function tableOf(ctx: FunctionContext, user: string): Promise<Table> {
  const table: Table = { crons: [], pre: [] }
  for (const line of splitLines(user === 'system' ? await rawSystem(ctx) : await rawOf(ctx, user))) {
    const [path, mask, ...words] = splitWords(line)
    if (words.length < 2) table.pre.push(line)
    else table.crons.push({ path: path!, mask: mask!, cmd: words.join(' ') })
  }
  return table
}

const install = (ctx: FunctionContext, user: string, path: string): Value | Promise<Value> =>
  ctx.call('cmd.run_all', [`incrontab ${path}`], { runas: user, python_shell: false })

/** The complaint of incrontab, or undefined. */
async function write(ctx: FunctionContext, user: string, { crons, pre }: Table): Promise<Value | undefined> {
  const jobs = crons.map(({ path, mask, cmd }) => `${str(path)} ${mask} ${str(cmd)}`)
  const text = [...pre, ...jobs].map((line) => `${line}\n`).join('')
  if (user === 'system') {
    if ((await ctx.host.stat(FOLDER)) === undefined) {
      throw new PyError('AttributeError', `${FILE} cannot be written. ${FOLDER} does not exist`)
    }
    await ctx.host.write(`${FOLDER}${FILE}`, text)
    return undefined
  }
  const file = await ctx.host.tempFile({ content: text })
  await ctx.host.settle()
  try {
    if (user !== 'root') await ctx.call('cmd.run', [`chown ${user} ${file}`], { python_shell: false })
    const answer = (await install(ctx, user, file)) as Dict
    return answer.get('retcode') === 0 ? undefined : (answer.get('stderr') ?? '')
  } finally {
    await ctx.host.remove(file)
  }
}

const unknownMask = (mask: string): string | undefined => {
  const item = mask.split(',').find((name) => !MASKS.has(name))
  return item === undefined ? undefined : `Invalid mask type: ${item}`
}

async function setJob(ctx: FunctionContext, user: string, job: Job): Promise<Value> {
  const fault = unknownMask(job.mask)
  if (fault !== undefined) return fault
  const wanted = job.mask.split(',').sort()
  const table = await tableOf(ctx, user)
  const isSame = ({ path, cmd }: Job): boolean => path === job.path && cmd === job.cmd
  const eventsOf = ({ mask }: Job): string[] => mask.split(',').sort()
  const own = table.crons.filter(isSame)
  if (own.some((other) => eventsOf(other).join() === wanted.join())) return 'present'
  // one that shares an event is replaced, one that shares none stays beside it
  const replaced = own.filter((other) => eventsOf(other).some((event) => wanted.includes(event)))
  const crons = [...table.crons.filter((other) => !replaced.includes(other)), job]
  return (await write(ctx, user, { ...table, crons })) ?? (replaced.length > 0 ? 'updated' : 'new')
}

async function removeJob(ctx: FunctionContext, user: string, job: Job): Promise<Value> {
  const fault = unknownMask(job.mask)
  if (fault !== undefined) return fault
  const table = await tableOf(ctx, user)
  const at = table.crons.findIndex(({ path, mask, cmd }) => path === job.path && mask === job.mask && cmd === job.cmd)
  const crons = table.crons.filter((_, index) => index !== at)
  return (await write(ctx, user, { ...table, crons })) ?? (at < 0 ? 'absent' : 'removed')
}

const user = arg.text('Whose table; `system` is that of the machine')
const path = arg.any('The file or folder that is watched')
const job = { user, path, mask: arg.text('Events, with commas'), cmd: arg.any('The command') }
const list = reads({
  doc: 'A table by its parts.',
  example: 'incron.list_tab root',
  args: { user },
  run: async (ctx, { user }) => {
    const { crons, pre } = await tableOf(ctx, user)
    return { crons: crons.map((cron) => ({ ...cron })), pre }
  },
})
const remove = changes({
  doc: 'Remove a job.',
  example: 'incron.rm_job root /path IN_MODIFY "echo changed"',
  args: job,
  run: (ctx, { user, path, mask, cmd }) => removeJob(ctx, user, { path, mask: mask.toUpperCase(), cmd }),
})

export default defineModule({
  name: 'incron',
  doc: 'Work with incron.',
  functions: {
    write_incron_file: changes({
      doc: 'Put a file in place of a table.',
      example: 'incron.write_incron_file root /tmp/new_incron',
      args: { user, path: arg.string('The file') },
      run: async (ctx, { user, path }) =>
        (await ctx.call('cmd.retcode', [`incrontab ${path}`], { runas: user, python_shell: false })) === 0,
    }),
    write_incron_file_verbose: changes({
      doc: 'Put a file in place of a table, and tell what incrontab said.',
      example: 'incron.write_incron_file_verbose root /tmp/new_incron',
      args: { user, path: arg.string('The file') },
      run: (ctx, { user, path }) => install(ctx, user, path),
    }),
    raw_system_incron: reads({
      doc: 'The table of the machine as it is.',
      example: 'incron.raw_system_incron',
      args: {},
      run: rawSystem,
    }),
    raw_incron: reads({
      doc: 'A table as it is.',
      example: 'incron.raw_incron root',
      args: { user },
      run: (ctx, { user }) => rawOf(ctx, user),
    }),
    list_tab: list,
    ls: list,
    set_job: changes({
      doc: 'Set a job.',
      example: `incron.set_job root /root IN_MODIFY 'echo "$$ $@ $# $% $&"'`,
      args: job,
      run: (ctx, { user, path, mask, cmd }) => setJob(ctx, user, { path, mask: mask.toUpperCase(), cmd }),
    }),
    rm_job: remove,
    rm: remove,
  },
})
