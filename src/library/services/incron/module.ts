// Tables of incron: commands that run on file events. `system` is Salt's own file below /etc/incron.d. A line has a path, a
// mask of events and a command. Lines whose command is one word are kept unchanged.
import { type Dict, PyError, splitLines, splitWords, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, textAt } from '../../../sdk/mod.ts'

const FOLDER = '/etc/incron.d/'
const FILE = 'salt'
const EVENTS =
  'ACCESS ATTRIB CLOSE_WRITE CLOSE_NOWRITE CREATE DELETE DELETE_SELF MODIFY MOVE_SELF MOVED_FROM MOVED_TO OPEN ALL_EVENTS MOVE CLOSE DONT_FOLLOW ONESHOT ONLYDIR NO_LOOP'
const MASKS = new Set(EVENTS.split(' ').map((name) => `IN_${name}`))

interface Job {
  path: string
  mask: string
  cmd: string
}

interface Table {
  crons: Job[]
  pre: string[]
}

const rawSystem = async (ctx: FunctionContext): Promise<string> => (await textAt(ctx.host, `${FOLDER}${FILE}`)) ?? ''

const rawOf = async (ctx: FunctionContext, user: string): Promise<string> =>
  ctx.call('cmd.run_stdout', [`incrontab -l ${user}`], { rstrip: false, runas: user, python_shell: false })

async function tableOf(ctx: FunctionContext, user: string): Promise<Table> {
  const table: Table = { crons: [], pre: [] }
  for (const line of splitLines(user === 'system' ? await rawSystem(ctx) : await rawOf(ctx, user))) {
    const [path = '', mask = '', ...words] = splitWords(line)
    if (words.length < 2) table.pre.push(line)
    else table.crons.push({ path, mask, cmd: words.join(' ') })
  }
  return table
}

const install = (ctx: FunctionContext, user: string, path: string): Dict | Promise<Dict> =>
  ctx.call('cmd.run_all', [`incrontab ${path}`], { runas: user, python_shell: false })

/** Write a table; return the error text of incrontab, or undefined. */
async function write(ctx: FunctionContext, user: string, { crons, pre }: Table): Promise<Value | undefined> {
  const jobs = crons.map(({ path, mask, cmd }) => `${path} ${mask} ${cmd}`)
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
    const answer = await install(ctx, user, file)
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
  // a job that shares an event is replaced, others are kept
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

const user = arg.text('User whose table is used; `system` for the table of the machine')
const path = arg.text('Watched file or directory')
const job = { user, path, mask: arg.text('Events such as IN_MODIFY, separated by commas'), cmd: arg.text('Command') }
const list = reads({
  doc: 'Return the parts of a table.',
  example: 'incron.list_tab root',
  args: { user },
  run: async (ctx, { user }) => {
    const { crons, pre } = await tableOf(ctx, user)
    return { crons: crons.map((cron) => ({ ...cron })), pre }
  },
})
const remove = changes({
  doc: 'Remove a job from a table.',
  example: 'incron.rm_job root /path IN_MODIFY "echo changed"',
  args: job,
  run: (ctx, { user, path, mask, cmd }) => removeJob(ctx, user, { path, mask: mask.toUpperCase(), cmd }),
})

export default defineModule({
  name: 'incron',
  doc: 'Manage the tables of incron.',
  functions: {
    write_incron_file: changes({
      doc: 'Replace a table by a file.',
      example: 'incron.write_incron_file root /tmp/new_incron',
      args: { user, path: arg.string('Path of the file') },
      run: async (ctx, { user, path }) =>
        (await ctx.call('cmd.retcode', [`incrontab ${path}`], { runas: user, python_shell: false })) === 0,
    }),
    write_incron_file_verbose: changes({
      doc: 'Replace a table by a file, and return the output of incrontab.',
      example: 'incron.write_incron_file_verbose root /tmp/new_incron',
      args: { user, path: arg.string('Path of the file') },
      run: (ctx, { user, path }) => install(ctx, user, path),
    }),
    raw_system_incron: reads({
      doc: 'Return the table of the machine as text.',
      run: rawSystem,
    }),
    raw_incron: reads({
      doc: "Return a user's table as text.",
      example: 'incron.raw_incron root',
      args: { user },
      run: (ctx, { user }) => rawOf(ctx, user),
    }),
    list_tab: list,
    ls: list,
    set_job: changes({
      doc: 'Add or change a job.',
      example: `incron.set_job root /root IN_MODIFY 'echo "$$ $@ $# $% $&"'`,
      args: job,
      run: (ctx, { user, path, mask, cmd }) => setJob(ctx, user, { path, mask: mask.toUpperCase(), cmd }),
    }),
    rm_job: remove,
    rm: remove,
  },
})
