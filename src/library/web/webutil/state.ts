// Users in password files of web servers.
import { type Dict, isDict, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, type Bound, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

const name = arg.text('Name of the user')
const htpasswd_file = arg.text('Path of the password file', { optional: true })
const runas = arg.text('System user that runs htpasswd', { optional: true })
const userArgs = {
  name,
  password: arg.text('Password', { optional: true, secret: true }),
  htpasswd_file,
  options: arg.text('Option letters of htpasswd', { default: '' }),
  force: arg.flag('Whether the password is set in any case', { default: false }),
  runas,
  update: arg.flag('Whether another password is replaced', { default: false }),
}

const report = (name: string, result: boolean | null, comment: string, changes = {}): StateReturn => ({
  name,
  changes,
  comment,
  result,
})

async function isListed(ctx: StateContext, file: string, name: string): Promise<boolean> {
  if ((await ctx.host.stat(file))?.type !== 'file') return false
  const text = new TextDecoder().decode(await ctx.host.read(file))
  return text.split('\n').some((line) => line.startsWith(`${name}:`))
}

async function present(ctx: StateContext, given: Bound<typeof userArgs>): Promise<StateReturn> {
  const { name, password, htpasswd_file, options, force, runas, update } = given
  const exists = await isListed(ctx, str(htpasswd_file), name)
  const words = [htpasswd_file, name, password]
  const keywords = { opts: options, runas }
  const checks = exists && update && !force
  const outdated = checks && !truthy(await ctx.call('webutil.verify', words, keywords))
  if (exists && !outdated && !force) return report(name, true, 'User already known')
  const changes = { [name]: true }
  if (ctx.test) return report(name, null, `User '${name}' is set to be added to htpasswd file`, changes)
  return outcome(name, await ctx.call('webutil.useradd', words, keywords))
}

async function absent(ctx: StateContext, name: string, file: string | null, runas: string | null) {
  if (!(await isListed(ctx, str(file), name))) return report(name, ctx.test ? null : true, 'User already not in file')
  const changes = { [name]: true }
  if (ctx.test) return report(name, null, `User '${name}' is set to be removed from htpasswd file`, changes)
  return outcome(name, await ctx.call('webutil.userdel', [file, name], { runas, all_results: true }))
}

/** Return the report about a run of htpasswd. */
function outcome(name: string, answer: Value): StateReturn {
  const facts: Dict = isDict(answer) ? answer : new Map()
  const done = facts.get('retcode') === 0
  return report(name, done, str(facts.get('stderr') ?? ''), done ? { [name]: true } : {})
}

export default defineState({
  name: 'webutil',
  doc: 'Manage users in password files of web servers.',
  when: async ({ host }) => (await host.which('htpasswd')) !== undefined || 'Command not found: htpasswd',
  functions: {
    user_exists: state({
      doc: 'Ensure that a password file has a user.',
      args: userArgs,
      run: present,
    }),
    user_absent: state({
      doc: 'Ensure that a password file does not have a user.',
      args: { name, htpasswd_file, runas },
      run: (ctx, { name, htpasswd_file, runas }) => absent(ctx, name, htpasswd_file, runas),
    }),
  },
})
