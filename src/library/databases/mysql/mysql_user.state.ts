// Users of MySQL and MariaDB. What they may do is the business of mysql_grants.
import { str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, isTrue, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { because, connectionArgs, type Given, parted, report, takeError, whenMysql } from './state/connection.ts'

interface Wish {
  ctx: StateContext
  given: Given
  connection: Record<string, Value>
  name: string
  /** `joe@localhost` */
  login: string
  passwordless: boolean
}

const value = ({ given }: Wish, name: string): Value => given[name] ?? null

/** The comment when the user has the wanted login already. */
function settled(wish: Wish): string {
  const comment = `User ${wish.login} is already present`
  if (wish.passwordless)
    return truthy(value(wish, 'allow_passwordless')) ? `${comment} with passwordless login` : comment
  if (value(wish, 'auth_plugin') !== 'mysql_native_password') return `${comment}. Unable to verify password.`
  const byHash = truthy(value(wish, 'password_hash')) && !truthy(value(wish, 'password'))
  return `${comment} with the desired password${byHash ? ' hash' : ''}`
}

const exists = (wish: Wish, further: Record<string, Value>): Value | Promise<Value> =>
  wish.ctx.call('mysql.user_exists', [wish.name, value(wish, 'host')], {
    unix_socket: value(wish, 'unix_socket'),
    ...further,
    ...wish.connection,
  })

async function present(wish: Wish): Promise<StateReturn> {
  const { ctx, name, passwordless } = wish
  if (passwordless && !isTrue(value(wish, 'allow_passwordless')) && !truthy(value(wish, 'unix_socket'))) {
    const comment = 'Either password or password_hash must be specified, unless allow_passwordless is True'
    return report(name, comment, false)
  }
  const wanted = passwordless
    ? { passwordless: true }
    : { password: value(wish, 'password'), password_hash: value(wish, 'password_hash') }
  if (truthy(await exists(wish, { ...wanted, password_column: value(wish, 'password_column') }))) {
    return report(name, settled(wish))
  }
  const error = takeError(ctx)
  if (error !== undefined) return report(name, error, false)
  if (truthy(await exists(wish, {}))) return change(wish)
  const other = takeError(ctx)
  return other === undefined ? create(wish) : report(name, other, false)
}

async function change(wish: Wish): Promise<StateReturn> {
  const { ctx, name, login, passwordless } = wish
  const allowed = isTrue(value(wish, 'allow_passwordless'))
  if (ctx.test) {
    const comment = `Password for user ${login} is set to be ${passwordless ? 'cleared' : 'changed'}`
    if (!passwordless || allowed) return report(name, comment, null)
    return report(name, `${comment}, but allow_passwordless != True`, false)
  }
  const names = ['host', 'password', 'password_hash', 'allow_passwordless', 'unix_socket']
  const done = await ctx.call('mysql.user_chpass', [name, ...names.map((each) => value(wish, each))], wish.connection)
  if (truthy(done)) {
    const comment = `Password for user ${login} has been ${passwordless ? 'cleared' : 'changed'}`
    return report(name, comment, true, { [name]: 'Updated' })
  }
  const comment = because(ctx, `Failed to ${passwordless ? 'clear' : 'change'} password for user ${login}`)
  if (!passwordless || allowed) return report(name, comment, false)
  return report(name, `${comment}. Note: allow_passwordless must be True to permit passwordless login.`, false)
}

async function create(wish: Wish): Promise<StateReturn> {
  const { ctx, name, login } = wish
  const allow = value(wish, 'allow_passwordless')
  const socket = truthy(value(wish, 'unix_socket')) ? ' using unix_socket' : ''
  const free = truthy(allow) ? ' with passwordless login' : ''
  if (ctx.test) {
    const refused = truthy(allow) && !isTrue(allow)
    const note = refused ? ', but allow_passwordless != True' : ''
    return report(name, `User ${login} is set to be added${free}${note}${socket}`, refused ? false : null)
  }
  const names = [
    'host',
    'password',
    'password_hash',
    'allow_passwordless',
    'unix_socket',
    'password_column',
    'auth_plugin',
  ]
  const done = await ctx.call('mysql.user_create', [name, ...names.map((each) => value(wish, each))], wish.connection)
  if (!truthy(done)) return report(name, because(ctx, `Failed to create user ${login}`), false)
  return report(name, `The user ${login} has been added${free}${socket}`, true, { [name]: 'Present' })
}

async function absent(ctx: StateContext, given: Given, connection: Record<string, Value>): Promise<StateReturn> {
  const [name, host] = [str(given['name']!), given['host']!]
  const login = `${name}@${str(host)}`
  if (truthy(await ctx.call('mysql.user_exists', [name, host], connection))) {
    if (ctx.test) return report(name, `User ${login} is set to be removed`, null)
    if (truthy(await ctx.call('mysql.user_remove', [name, host], connection))) {
      return report(name, `User ${login} has been removed`, true, { [name]: 'Absent' })
    }
  }
  const error = takeError(ctx)
  if (error !== undefined) return report(name, error, false)
  return report(name, `User ${login} is not present, so it cannot be removed`)
}

const user = {
  name: arg.any('The name of the user'),
  host: arg.any('The host that the user connects from', { default: 'localhost' }),
}

export default defineState({
  name: 'mysql_user',
  doc: 'Keep users of MySQL and MariaDB.',
  when: whenMysql,
  functions: {
    present: state({
      doc: 'A user is there, with this password.',
      args: {
        ...user,
        password: arg.any('The password', { optional: true, secret: true }),
        password_hash: arg.any('The hash of the password', { optional: true, secret: true }),
        allow_passwordless: arg.flag('Whether the user needs no password', { default: false }),
        unix_socket: arg.flag('Whether the user logs in over the socket', { default: false }),
        password_column: arg.any('The column of the table of users that holds the hash', { optional: true }),
        auth_plugin: arg.any('How the password is checked', { default: 'mysql_native_password' }),
        connection_args: connectionArgs,
      },
      run: (ctx, args) => {
        const { given, connection } = parted(args)
        const name = str(given['name']!)
        const passwordless = !truthy(given['password']!) && !truthy(given['password_hash']!)
        return present({ ctx, given, connection, name, login: `${name}@${str(given['host']!)}`, passwordless })
      },
    }),
    absent: state({
      doc: 'A user is not there.',
      args: { ...user, connection_args: connectionArgs },
      run: (ctx, args) => {
        const { given, connection } = parted(args)
        return absent(ctx, given, connection)
      },
    }),
  },
})
