// Crontabs of users, through the crontab command.
import { arg, changes, defineModule, type FunctionContext, type Result, reads, ret } from '../../../sdk/mod.ts'
import { removeEntry, removeVariable, setEntry, setVariable } from './module/jobs.ts'
import { installTab, rawTab, readTab } from './module/tab.ts'

const user = arg.text('User whose crontab is used')
const cmd = arg.text('Command')
const notes = {
  commented: arg.flag('Whether the job is disabled', { default: false }),
  comment: arg.text('Comment before the job', { optional: true }),
  identifier: arg.text('Identifier of the job', { optional: true }),
}
const times = {
  minute: arg.text('Minute', { optional: true }),
  hour: arg.text('Hour', { optional: true }),
  daymonth: arg.text('Day of the month', { optional: true }),
  month: arg.text('Month', { optional: true }),
  dayweek: arg.text('Day of the week', { optional: true }),
}

async function entry(
  ctx: FunctionContext,
  user: string,
  identifier: string | null,
  cmd: string | null,
): Promise<Result> {
  const { crons, special } = await readTab(ctx, user)
  const key = identifier ? 'identifier' : 'cmd'
  const wanted = identifier || cmd
  return (wanted && [...crons, ...special].find((job) => job.get(key) === wanted)) || false
}

const list_tab = reads({
  doc: 'Return the parts of a crontab.',
  args: { user },
  returns: ret.dict('`pre`, `crons`, `special` and `env`'),
  example: 'cron.list_tab root',
  run: async (ctx, { user }) => ({ ...(await readTab(ctx, user)) }),
})

const rm_job = changes({
  doc: 'Remove a job from a crontab.',
  args: { user, cmd, ...times, identifier: notes.identifier },
  returns: ret.string('removed, absent, or an error text'),
  example: 'cron.rm_job root /usr/bin/weekly',
  run: (ctx, { user, cmd, identifier, ...times }) =>
    removeEntry(ctx, user, { cmd, identifier, isSpecial: false, times }),
})

export default defineModule({
  name: 'cron',
  doc: 'Manage crontabs.',
  when: async ({ host }) =>
    (await host.which('crontab')) !== undefined || 'Cannot load cron module: crontab command not found',
  functions: {
    write_cron_file: changes({
      doc: 'Replace a crontab by a file.',
      args: { user, path: arg.string('Path of the file') },
      returns: ret.boolean('Whether crontab accepted the file'),
      example: 'cron.write_cron_file root /tmp/new_cron',
      run: async (ctx, { user, path }) => (await installTab(ctx, user, path)).get('retcode') === 0,
    }),
    write_cron_file_verbose: changes({
      doc: 'Replace a crontab by a file, and return the output of crontab.',
      args: { user, path: arg.string('Path of the file') },
      returns: ret.dict('The result of cmd.run_all'),
      example: 'cron.write_cron_file_verbose root /tmp/new_cron',
      run: (ctx, { user, path }) => installTab(ctx, user, path),
    }),
    raw_cron: reads({
      doc: "Return a user's crontab as text.",
      args: { user },
      returns: ret.string('The crontab'),
      example: 'cron.raw_cron root',
      run: (ctx, { user }) => rawTab(ctx, user),
    }),
    list_tab,
    ls: list_tab,
    get_entry: reads({
      doc: 'Return a job by its identifier or its command.',
      args: {
        user,
        identifier: arg.text('Identifier', { optional: true }),
        cmd: arg.text('Command', { optional: true }),
      },
      returns: ret.any('The job, or False'),
      example: 'cron.get_entry root identifier=task1',
      run: (ctx, { user, identifier, cmd }) => entry(ctx, user, identifier, cmd),
    }),
    set_special: changes({
      doc: 'Add or change a job with a special time.',
      args: { user, special: arg.text('Special time, such as @daily'), cmd, ...notes },
      returns: ret.string('new, updated, present, or an error text'),
      example: "cron.set_special root @hourly 'echo foobar'",
      run: (ctx, { user, special, ...job }) => setEntry(ctx, user, { spec: special, ...job }),
    }),
    set_job: changes({
      doc: 'Add or change a job.',
      args: {
        user,
        minute: arg.text('Minute, `random`, or a range such as 10:20'),
        hour: arg.text('Hour, `random`, or a range'),
        daymonth: arg.text('Day of the month, or `random`'),
        month: arg.text('Month, `random`, or a range'),
        dayweek: arg.text('Day of the week, `random`, or a range'),
        cmd,
        ...notes,
      },
      returns: ret.string('new, updated, present, or an error text'),
      example: "cron.set_job root '*' '*' '*' '*' 1 /usr/local/weekly",
      run: (ctx, { user, minute, hour, daymonth, month, dayweek, ...job }) =>
        setEntry(ctx, user, {
          minute: minute.toLowerCase(),
          hour: hour.toLowerCase(),
          daymonth: daymonth.toLowerCase(),
          month: month.toLowerCase(),
          dayweek: dayweek.toLowerCase(),
          ...job,
        }),
    }),
    rm_special: changes({
      doc: 'Remove a job with a special time.',
      args: {
        user,
        cmd,
        special: arg.text('Special time, such as @daily', { optional: true }),
        identifier: notes.identifier,
      },
      returns: ret.string('removed, absent, or an error text'),
      example: 'cron.rm_special root /usr/bin/foo',
      run: (ctx, { user, cmd, special, identifier }) =>
        removeEntry(ctx, user, { cmd, identifier, isSpecial: true, spec: special }),
    }),
    rm_job,
    rm: rm_job,
    set_env: changes({
      doc: 'Set an environment variable in a crontab.',
      args: {
        user,
        name: arg.text('Variable name'),
        value: arg.any('Value; a number always counts as changed, as in Salt', { optional: true }),
      },
      returns: ret.string('new, updated, present, or an error text'),
      example: 'cron.set_env root MAILTO user@example.com',
      run: (ctx, { user, name, value }) => setVariable(ctx, user, name, value),
    }),
    rm_env: changes({
      doc: 'Remove an environment variable from a crontab.',
      args: { user, name: arg.text('Variable name') },
      returns: ret.string('removed, absent, or an error text'),
      example: 'cron.rm_env root MAILTO',
      run: (ctx, { user, name }) => removeVariable(ctx, user, name),
    }),
  },
})
