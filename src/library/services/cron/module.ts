// Crontabs of users, through the crontab command.
import { truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, type Result, reads, ret } from '../../../sdk/mod.ts'
import { removeEntry, removeVariable, setEntry, setVariable } from './module/jobs.ts'
import { installTab, rawTab, readTab } from './module/tab.ts'

const user = arg.any('Whose crontab')
const cmd = arg.any('The command')
const optional = (doc: string) => arg.any(doc, { optional: true })
const notes = {
  commented: arg.flag('Whether it is switched off', { default: false }),
  comment: optional('A comment before it'),
  identifier: optional('The name by which it is found again'),
}
const times = {
  minute: optional('Minute'),
  hour: optional('Hour'),
  daymonth: optional('Day of the month'),
  month: optional('Month'),
  dayweek: optional('Day of the week'),
}

const small = (value: string): string => value.toLowerCase()

async function entry(ctx: FunctionContext, user: Value, identifier: Value, cmd: Value): Promise<Result> {
  const { crons, special } = await readTab(ctx, user)
  const key = truthy(identifier) ? 'identifier' : 'cmd'
  const wanted = truthy(identifier) ? identifier : cmd
  return (truthy(wanted) && [...crons, ...special].find((job) => job.get(key) === wanted)) || false
}

const list_tab = reads({
  doc: 'A crontab by its parts.',
  args: { user },
  returns: ret.dict('`pre`, `crons`, `special` and `env`'),
  example: 'cron.list_tab root',
  run: async (ctx, { user }) => ({ ...(await readTab(ctx, user)) }),
})

const rm_job = changes({
  doc: 'Remove a job.',
  args: { user, cmd, ...times, identifier: notes.identifier },
  returns: ret.string('removed, absent, or what went wrong'),
  example: 'cron.rm_job root /usr/bin/weekly',
  run: (ctx, { user, cmd, identifier, ...times }) =>
    removeEntry(ctx, user, { cmd, identifier, isSpecial: false, times }),
})

export default defineModule({
  name: 'cron',
  doc: 'Work with crontabs.',
  when: async ({ host }) =>
    (await host.which('crontab')) !== undefined || 'Cannot load cron module: crontab command not found',
  functions: {
    write_cron_file: changes({
      doc: 'Put a file in place of a crontab.',
      args: { user, path: arg.string('The file') },
      returns: ret.boolean('Whether crontab took it'),
      example: 'cron.write_cron_file root /tmp/new_cron',
      run: async (ctx, { user, path }) => (await installTab(ctx, user, path)).get('retcode') === 0,
    }),
    write_cron_file_verbose: changes({
      doc: 'Put a file in place of a crontab, and tell what crontab said.',
      args: { user, path: arg.string('The file') },
      returns: ret.dict('As cmd.run_all gives it'),
      example: 'cron.write_cron_file_verbose root /tmp/new_cron',
      run: (ctx, { user, path }) => installTab(ctx, user, path),
    }),
    raw_cron: reads({
      doc: 'A crontab as it is.',
      args: { user },
      returns: ret.string('The text'),
      example: 'cron.raw_cron root',
      run: (ctx, { user }) => rawTab(ctx, user),
    }),
    list_tab,
    ls: list_tab,
    get_entry: reads({
      doc: 'A job by its identifier or its command.',
      args: { user, identifier: optional('The identifier'), cmd: optional('The command') },
      returns: ret.any('The job, or false'),
      example: 'cron.get_entry root identifier=task1',
      run: (ctx, { user, identifier, cmd }) => entry(ctx, user, identifier, cmd),
    }),
    set_special: changes({
      doc: 'Set a job with a special time, such as @daily.',
      args: { user, special: arg.any('The time'), cmd, ...notes },
      returns: ret.string('new, updated, present, or what went wrong'),
      example: "cron.set_special root @hourly 'echo foobar'",
      run: (ctx, { user, special, ...job }) => setEntry(ctx, user, { spec: special, ...job }),
    }),
    set_job: changes({
      doc: 'Set a job.',
      args: {
        user,
        minute: arg.text('Minute'),
        hour: arg.text('Hour'),
        daymonth: arg.text('Day of the month'),
        month: arg.text('Month'),
        dayweek: arg.text('Day of the week'),
        cmd,
        ...notes,
      },
      returns: ret.string('new, updated, present, or what went wrong'),
      example: "cron.set_job root '*' '*' '*' '*' 1 /usr/local/weekly",
      run: (ctx, { user, minute, hour, daymonth, month, dayweek, ...job }) =>
        setEntry(ctx, user, {
          minute: small(minute),
          hour: small(hour),
          daymonth: small(daymonth),
          month: small(month),
          dayweek: small(dayweek),
          ...job,
        }),
    }),
    rm_special: changes({
      doc: 'Remove a job with a special time.',
      args: { user, cmd, special: optional('The time'), identifier: notes.identifier },
      returns: ret.string('removed, absent, or what went wrong'),
      example: 'cron.rm_special root /usr/bin/foo',
      run: (ctx, { user, cmd, special, identifier }) =>
        removeEntry(ctx, user, { cmd, identifier, isSpecial: true, spec: special }),
    }),
    rm_job,
    rm: rm_job,
    set_env: changes({
      doc: 'Set a variable of a crontab.',
      args: { user, name: arg.any('The variable'), value: optional('Its value') },
      returns: ret.string('new, updated, present, or what went wrong'),
      example: 'cron.set_env root MAILTO user@example.com',
      run: (ctx, { user, name, value }) => setVariable(ctx, user, name, value),
    }),
    rm_env: changes({
      doc: 'Remove a variable of a crontab.',
      args: { user, name: arg.any('The variable') },
      returns: ret.string('removed, absent, or what went wrong'),
      example: 'cron.rm_env root MAILTO',
      run: (ctx, { user, name }) => removeVariable(ctx, user, name),
    }),
  },
})
