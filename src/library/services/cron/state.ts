// Jobs and variables in crontabs of users.
import { type Dict, str, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { cronDiffers, cronMatches } from './cron-entry.ts'
import { crontabFile } from './state/file.ts'

const TIMES = ['minute', 'hour', 'daymonth', 'month', 'dayweek'] as const

interface Job extends Record<(typeof TIMES)[number], Value> {
  name: string
  user: Value
  comment: Value
  commented: Value
  identifier: Value
  special: Value
}

type Status = 'absent' | 'present' | 'update'

async function tabList(ctx: StateContext, user: Value, part: string): Promise<Dict[]> {
  const tab = await ctx.call('cron.list_tab', [user])
  return (tab.get(part) ?? []) as Dict[]
}

async function statusOf(ctx: StateContext, user: Value, wanted: Readonly<Record<string, Value>>): Promise<Status> {
  const { cmd, identifier } = wanted as { cmd: Value; identifier: Value }
  const entries = await tabList(ctx, user, 'spec' in wanted ? 'special' : 'crons')
  const found = entries.find((entry) => cronMatches(entry, cmd, identifier))
  if (found === undefined) return 'absent'
  const differs = Object.entries(wanted).some(([key, value]) => cronDiffers(found.get(key) ?? null, value))
  return differs ? 'update' : 'present'
}

const idOf = (identifier: Value, name: string): Value => (identifier === false ? name : identifier)

const textOrNone = (value: Value): Value => (value === null ? null : str(value).toLowerCase())

function foreseen(subject: string, name: string, status: Status): StateReturn {
  const comment = {
    absent: `${subject} is set to be added`,
    present: `${subject} already present`,
    update: `${subject} is set to be updated`,
  }[status]
  return { name, changes: {}, result: status === 'present' ? true : null, comment }
}

/** What the module's answer means. */
function reported(subject: string, name: string, user: Value, answer: string): StateReturn {
  const changes = { [str(user)]: name }
  const done = (comment: string): StateReturn => ({ name, changes, result: true, comment })
  if (answer === 'present') return { ...done(`${subject} already present`), changes: {} }
  if (answer === 'new') return done(`${subject} added to ${str(user)}'s crontab`)
  if (answer === 'updated') return done(`${subject} updated`)
  if (answer === 'absent') return { ...done(`${subject} already absent`), changes: {} }
  return done(`${subject} removed from ${str(user)}'s crontab`)
}

const refused = (subject: string, name: string, user: Value, comment: string): StateReturn => ({
  name,
  changes: {},
  result: false,
  comment: `${subject} for user ${str(user)} failed to commit with error ${comment}`,
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
    const id = identifier === null ? null : str(identifier)
    return foreseen(
      subject,
      name,
      await statusOf(ctx, user, { ...when, ...shared, identifier: id, commented: commented === true }),
    )
  }
  const given = { user, commented, ...shared }
  const answer =
    special === null
      ? await ctx.call('cron.set_job', [], { ...given, ...times })
      : await ctx.call('cron.set_special', [], { ...given, special })
  if (['present', 'new', 'updated'].includes(str(answer))) return reported(subject, name, user, str(answer))
  return refused(subject, name, user, `\n${str(answer)}`)
}

interface Removal {
  name: string
  user: Value
  identifier: Value
  special: Value
}

async function absent(ctx: StateContext, { name: given, user, identifier, special }: Removal): Promise<StateReturn> {
  const name = given.trim()
  const id = idOf(identifier, name)
  const subject = `Cron ${name}`
  if (ctx.test) {
    const status = await statusOf(ctx, user, { cmd: name, identifier: id === null ? null : str(id) })
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

function removed(subject: string, name: string, user: Value, answer: string): StateReturn {
  const known = answer === 'absent' || answer === 'removed'
  return known ? reported(subject, name, user, answer) : refused(subject, name, user, answer)
}

async function variableStatus(ctx: StateContext, user: Value, name: string, value: Value): Promise<Status> {
  const found = (await tabList(ctx, user, 'env')).find((entry) => entry.get('name') === name)
  if (found === undefined) return 'absent'
  return found.get('value') === (value ?? '') ? 'present' : 'update'
}

async function variablePresent(ctx: StateContext, name: string, value: Value, user: Value): Promise<StateReturn> {
  const subject = `Cron env ${name}`
  if (ctx.test) return foreseen(subject, name, await variableStatus(ctx, user, name, value))
  const answer = str(await ctx.call('cron.set_env', [user, name], { value }))
  if (['present', 'new', 'updated'].includes(answer)) return reported(subject, name, user, answer)
  return refused(subject, name, user, `\n${answer}`)
}

async function variableAbsent(ctx: StateContext, given: string, user: Value): Promise<StateReturn> {
  const name = given.trim()
  const subject = `Cron env ${name}`
  if (ctx.test) return wouldRemove(subject, name, await variableStatus(ctx, user, name, null))
  return removed(subject, name, user, str(await ctx.call('cron.rm_env', [user, name])))
}

const name = arg.string('The command')
const user = arg.any('Whose crontab', { default: 'root' })
const time = (doc: string) => arg.any(doc, { default: '*' })
const identifier = arg.any('The name by which it is found again; the command when not given', { default: false })
const special = arg.any('A special time, such as @daily', { optional: true })

export default defineState({
  name: 'cron',
  doc: 'Keep jobs and variables in crontabs.',
  when: async ({ host }) => (await host.which('crontab')) !== undefined || 'cron module could not be loaded',
  functions: {
    present: state({
      doc: 'A job is in a crontab.',
      args: {
        name,
        user,
        minute: time('Minute'),
        hour: time('Hour'),
        daymonth: time('Day of the month'),
        month: time('Month'),
        dayweek: time('Day of the week'),
        comment: arg.any('A comment before it', { optional: true }),
        commented: arg.any('Whether it is switched off', { default: false }),
        identifier,
        special,
      },
      run: (ctx, job) => present(ctx, job as Job),
    }),
    absent: state({
      doc: 'A job is not in a crontab.',
      args: { name, user, identifier, special, kwargs: arg.ignored() },
      run: absent,
    }),
    file: state({
      doc: 'A file is the crontab of a user.',
      args: {
        name: arg.any('Where the file comes from'),
        source_hash: arg.any('Its hash, or where the hash is found', { default: '' }),
        source_hash_name: arg.any('Its name in a list of hashes', { optional: true }),
        user,
        template: arg.any('The engine that renders it', { optional: true }),
        context: arg.any('Variables of the template', { optional: true }),
        replace: arg.flag('Whether a crontab that is there is replaced', { default: true }),
        defaults: arg.any('Variables that the context may override', { optional: true }),
        backup: arg.any('Whether a copy is kept', { default: '' }),
        kwargs: arg.open('Further options of file.managed'),
      },
      run: crontabFile,
    }),
    env_present: state({
      doc: 'A variable is set in a crontab.',
      args: { name: arg.string('The variable'), value: arg.any('Its value', { optional: true }), user },
      run: (ctx, { name, value, user }) => variablePresent(ctx, name, value, user),
    }),
    env_absent: state({
      doc: 'A variable is not set in a crontab.',
      args: { name: arg.string('The variable'), user },
      run: (ctx, { name, user }) => variableAbsent(ctx, name, user),
    }),
  },
})
