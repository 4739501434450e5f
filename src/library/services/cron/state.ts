// States of jobs and variables in crontabs.
import { type Dict, str, type Value } from '../../../data/mod.ts'
import { arg, type Bound, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { cronDiffers, cronMatches } from './cron-entry.ts'
import { crontabFile } from './state/file.ts'

const TIMES = ['minute', 'hour', 'daymonth', 'month', 'dayweek'] as const

interface Job extends Record<(typeof TIMES)[number], Value> {
  name: string
  user: string
  comment: string | null
  commented: boolean
  identifier: Value
  special: string | null
}

type Status = 'absent' | 'present' | 'update'

async function tabList(ctx: StateContext, user: string, part: string): Promise<Dict[]> {
  const tab = await ctx.call('cron.list_tab', [user])
  return (tab.get(part) ?? []) as Dict[]
}

interface Wanted extends Readonly<Record<string, Value>> {
  cmd: string
  identifier: string | null
}

async function statusOf(ctx: StateContext, user: string, wanted: Wanted): Promise<Status> {
  const { cmd, identifier } = wanted
  const entries = await tabList(ctx, user, 'spec' in wanted ? 'special' : 'crons')
  const found = entries.find((entry) => cronMatches(entry, cmd, identifier))
  if (found === undefined) return 'absent'
  const differs = Object.entries(wanted).some(([key, value]) => cronDiffers(found.get(key) ?? null, value))
  return differs ? 'update' : 'present'
}

const idOf = (identifier: Value, name: string): string | null =>
  identifier === false ? name : identifier === null ? null : str(identifier)

const textOrNone = (value: Value): Value => (value === null ? null : str(value).toLowerCase())

function wouldSet(subject: string, name: string, status: Status): StateReturn {
  const comment = {
    absent: `${subject} is set to be added`,
    present: `${subject} already present`,
    update: `${subject} is set to be updated`,
  }[status]
  return { name, changes: {}, result: status === 'present' ? true : null, comment }
}

/** Return the report of an answer of the module. */
function reported(subject: string, name: string, user: string, answer: string): StateReturn {
  const changes = { [user]: name }
  const done = (comment: string): StateReturn => ({ name, changes, result: true, comment })
  if (answer === 'present') return { ...done(`${subject} already present`), changes: {} }
  if (answer === 'new') return done(`${subject} added to ${user}'s crontab`)
  if (answer === 'updated') return done(`${subject} updated`)
  if (answer === 'absent') return { ...done(`${subject} already absent`), changes: {} }
  return done(`${subject} removed from ${user}'s crontab`)
}

const refused = (subject: string, name: string, user: string, comment: string): StateReturn => ({
  name,
  changes: {},
  result: false,
  comment: `${subject} for user ${user} failed to commit with error ${comment}`,
})

async function present(ctx: StateContext, job: Job): Promise<StateReturn> {
  const name = job.name.trim()
  const { user, comment, commented, special } = job
  const identifier = idOf(job.identifier, name)
  const shared = { cmd: name, comment, identifier }
  const subject = `Cron ${name}`
  const times = Object.fromEntries(TIMES.map((key) => [key, job[key]]))
  if (ctx.test) {
    const when =
      special === null ? Object.fromEntries(TIMES.map((key) => [key, textOrNone(job[key])])) : { spec: special }
    return wouldSet(subject, name, await statusOf(ctx, user, { ...when, ...shared, commented }))
  }
  const given = { user, commented, ...shared }
  const answer =
    special === null
      ? await ctx.call('cron.set_job', [], { ...given, ...times })
      : await ctx.call('cron.set_special', [], { ...given, special })
  if (['present', 'new', 'updated'].includes(str(answer))) return reported(subject, name, user, str(answer))
  return refused(subject, name, user, `\n${str(answer)}`)
}

type Removal = Bound<typeof absentArgs>

async function absent(ctx: StateContext, { name: given, user, identifier, special }: Removal): Promise<StateReturn> {
  const name = given.trim()
  const id = idOf(identifier, name)
  const subject = `Cron ${name}`
  if (ctx.test) {
    const status = await statusOf(ctx, user, { cmd: name, identifier: id })
    return wouldRemove(subject, name, status)
  }
  const answer =
    special === null
      ? await ctx.call('cron.rm_job', [user, name], { identifier: id })
      : await ctx.call('cron.rm_special', [user, name], { special, identifier: id })
  return removed(subject, name, user, str(answer))
}

function wouldRemove(subject: string, name: string, status: Status): StateReturn {
  if (status === 'absent') return { name, changes: {}, result: true, comment: `${subject} is absent` }
  return { name, changes: {}, result: null, comment: `${subject} is set to be removed` }
}

function removed(subject: string, name: string, user: string, answer: string): StateReturn {
  const known = answer === 'absent' || answer === 'removed'
  return known ? reported(subject, name, user, answer) : refused(subject, name, user, answer)
}

async function variableStatus(ctx: StateContext, user: string, name: string, value: Value): Promise<Status> {
  const found = (await tabList(ctx, user, 'env')).find((entry) => entry.get('name') === name)
  if (found === undefined) return 'absent'
  return found.get('value') === (value ?? '') ? 'present' : 'update'
}

async function variablePresent(ctx: StateContext, name: string, value: Value, user: string): Promise<StateReturn> {
  const subject = `Cron env ${name}`
  if (ctx.test) return wouldSet(subject, name, await variableStatus(ctx, user, name, value))
  const answer = str(await ctx.call('cron.set_env', [user, name], { value }))
  if (['present', 'new', 'updated'].includes(answer)) return reported(subject, name, user, answer)
  return refused(subject, name, user, `\n${answer}`)
}

async function variableAbsent(ctx: StateContext, given: string, user: string): Promise<StateReturn> {
  const name = given.trim()
  const subject = `Cron env ${name}`
  if (ctx.test) return wouldRemove(subject, name, await variableStatus(ctx, user, name, null))
  return removed(subject, name, user, str(await ctx.call('cron.rm_env', [user, name])))
}

const name = arg.string('Command')
const user = arg.text('User whose crontab is used', { default: 'root' })
const time = (unit: string) =>
  arg.any(`${unit}, as number or text, or \`random\`; None changes nothing`, { default: '*' })
const identifier = arg.any('Identifier, as text; False to use the command, None for no identifier', { default: false })
const special = arg.text('Special time, such as @daily', { optional: true })

const absentArgs = { name, user, identifier, special, kwargs: arg.ignored() }

export default defineState({
  name: 'cron',
  doc: 'Manage jobs and variables in crontabs.',
  when: async ({ host }) => (await host.which('crontab')) !== undefined || 'cron module could not be loaded',
  functions: {
    present: state({
      doc: 'Ensure that a job is in a crontab.',
      args: {
        name,
        user,
        minute: time('Minute'),
        hour: time('Hour'),
        daymonth: time('Day of the month'),
        month: time('Month'),
        dayweek: time('Day of the week'),
        comment: arg.text('Comment before the job', { optional: true }),
        commented: arg.flag('Whether the job is disabled', { default: false }),
        identifier,
        special,
      },
      run: present,
    }),
    absent: state({ doc: 'Ensure that a job is not in a crontab.', args: absentArgs, run: absent }),
    file: state({
      doc: 'Ensure that a file is the crontab of a user.',
      args: {
        name: arg.textOrList('Source of the file: a URL or path, or a list of which the first existing is used'),
        source_hash: arg.text('Hash of the source, or a URL or path of a hash file', { default: '' }),
        source_hash_name: arg.text('Name of the source in the hash file', { optional: true }),
        user,
        template: arg.text('Template engine that renders the file', { optional: true }),
        context: arg.any('Variables of the template, a dict', { optional: true }),
        replace: arg.flag('Whether to replace an existing crontab', { default: true }),
        defaults: arg.any('Default variables of the template, a dict', { optional: true }),
        backup: arg.any('Backup mode: `minion`, or False for none', { default: '' }),
        kwargs: arg.open('Further options of file.managed'),
      },
      run: crontabFile,
    }),
    env_present: state({
      doc: 'Ensure that a variable is set in a crontab.',
      args: {
        name: arg.string('Variable name'),
        value: arg.any('Value; a number always counts as changed, as in Salt', { optional: true }),
        user,
      },
      run: (ctx, { name, value, user }) => variablePresent(ctx, name, value, user),
    }),
    env_absent: state({
      doc: 'Ensure that a variable is not set in a crontab.',
      args: { name: arg.string('Variable name'), user },
      run: (ctx, { name, user }) => variableAbsent(ctx, name, user),
    }),
  },
})
