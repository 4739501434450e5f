// Users in files of passwords for web servers.
import { type Dict, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

type Given = Readonly<Record<string, Value>>

const report = (name: Value, result: boolean | null, comment: string, changes = {}): StateReturn => ({
  name,
  changes,
  comment,
  result,
})

async function isListed(ctx: StateContext, file: Value, name: Value): Promise<boolean> {
  if ((await ctx.host.stat(str(file)))?.type !== 'file') return false
  const text = new TextDecoder().decode(await ctx.host.read(str(file)))
  return text.split('\n').some((line) => line.startsWith(`${str(name)}:`))
}

async function present(ctx: StateContext, given: Given): Promise<StateReturn> {
  const { name = null, password = null, htpasswd_file = null, options = null, force = null, runas = null } = given
  const exists = await isListed(ctx, htpasswd_file, name)
  const words = [htpasswd_file, name, password]
  const keywords = { opts: options, runas }
  const checks = exists && truthy(given['update']!) && !truthy(force)
  const outdated = checks && !truthy(await ctx.call('webutil.verify', words, keywords))
  if (exists && !outdated && !truthy(force)) return report(name, true, 'User already known')
  const changes = { [str(name)]: true }
  if (ctx.test) return report(name, null, `User '${str(name)}' is set to be added to htpasswd file`, changes)
  const answer = await ctx.call('webutil.useradd', words, keywords)
  const done = answer.get('retcode') === 0
  return report(name, done, str(answer.get('stderr') ?? ''), done ? changes : {})
}

async function absent(
  ctx: StateContext,
  { name = null, htpasswd_file = null, runas = null }: Given,
): Promise<StateReturn> {
  if (!(await isListed(ctx, htpasswd_file, name)))
    return report(name, ctx.test ? null : true, 'User already not in file')
  const changes = { [str(name)]: true }
  if (ctx.test) return report(name, null, `User '${str(name)}' is set to be removed from htpasswd file`, changes)
  const answer = (await ctx.call('webutil.userdel', [htpasswd_file, name], { runas, all_results: true })) as Dict
  const done = answer.get('retcode') === 0
  return report(name, done, str(answer.get('stderr') ?? ''), done ? changes : {})
}

const optional = (doc: string) => arg.any(doc, { optional: true })
const name = arg.any('The user')
const htpasswd_file = optional('The file')
const runas = optional('The system user that htpasswd runs as')

export default defineState({
  name: 'webutil',
  doc: 'Keep users in files of passwords for web servers.',
  when: async ({ host }) => (await host.which('htpasswd')) !== undefined || 'Command not found: htpasswd',
  functions: {
    user_exists: state({
      doc: 'A user is in a file of passwords.',
      args: {
        name,
        password: arg.any('The password', { optional: true, secret: true }),
        htpasswd_file,
        options: arg.any('Options of htpasswd, as letters', { default: '' }),
        force: arg.any('Whether the password is set again in any case', { default: false }),
        runas,
        update: arg.flag('Whether another password is replaced', { default: false }),
      },
      run: (ctx, given) => present(ctx, given),
    }),
    user_absent: state({
      doc: 'A user is not in a file of passwords.',
      args: { name, htpasswd_file, runas },
      run: (ctx, given) => absent(ctx, given),
    }),
  },
})
