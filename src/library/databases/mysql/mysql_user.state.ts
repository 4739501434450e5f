// Users of MySQL and MariaDB. The state mysql_grants manages their privileges.
import { truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changed,
  defineState,
  ensure,
  failed,
  foreseen,
  isTrue,
  type StateContext,
  type StateReturn,
  settled,
  state,
  type Verdict,
} from '../../../sdk/mod.ts'
import { because, connectionArgs, takeError, whenMysql } from './state/connection.ts'

const name = arg.text('Name of the user')
const host = arg.text('Host that the user connects from', { default: 'localhost' })
const userArgs = {
  name,
  host,
  password: arg.text('Password', { optional: true, secret: true }),
  password_hash: arg.text('Hash of the password', { optional: true, secret: true }),
  allow_passwordless: arg.any('Whether the user needs no password; a text counts if it is `true`', { default: false }),
  unix_socket: arg.any('Whether the user logs in over the socket', { default: false }),
  password_column: arg.text('Column of the table mysql.user that holds the hash', { optional: true }),
  auth_plugin: arg.text('Authentication plugin', { default: 'mysql_native_password' }),
  connection_args: connectionArgs,
}

interface User extends Omit<Bound<typeof userArgs>, 'connection_args'> {
  connection: Readonly<Record<string, Value>>
  /** `joe@localhost` */
  login: string
  /** Whether neither a password nor a hash is given. */
  passwordless: boolean
}

type Gap = 'missing' | 'other password'

/** Return the comment about a user that has the wanted login. */
function presentComment(user: User): string {
  const comment = `User ${user.login} is already present`
  if (user.passwordless) return truthy(user.allow_passwordless) ? `${comment} with passwordless login` : comment
  if (user.auth_plugin !== 'mysql_native_password') return `${comment}. Unable to verify password.`
  return `${comment} with the desired password${user.password ? '' : ' hash'}`
}

async function look(ctx: StateContext, user: User): Promise<Gap | Verdict> {
  const { name, host, password, password_hash, passwordless, unix_socket, password_column, connection } = user
  if (passwordless && !isTrue(user.allow_passwordless) && !truthy(unix_socket)) {
    return failed('Either password or password_hash must be specified, unless allow_passwordless is True')
  }
  const exists = async (further: Record<string, Value>): Promise<boolean> =>
    truthy(await ctx.call('mysql.user_exists', [name, host], { unix_socket, ...further, ...connection }))
  const wanted = passwordless ? { passwordless } : { password, password_hash }
  if (await exists({ ...wanted, password_column })) return settled(presentComment(user))
  const error = takeError(ctx)
  if (error !== undefined) return failed(error)
  if (await exists({})) return 'other password'
  const other = takeError(ctx)
  return other === undefined ? 'missing' : failed(other)
}

function foreseeChange({ login, passwordless, allow_passwordless }: User): Verdict {
  const comment = `Password for user ${login} is set to be ${passwordless ? 'cleared' : 'changed'}`
  if (!passwordless || isTrue(allow_passwordless)) return foreseen(comment)
  return failed(`${comment}, but allow_passwordless != True`)
}

async function changePassword(ctx: StateContext, user: User): Promise<Verdict> {
  const { name, host, password, password_hash, allow_passwordless, unix_socket, login, passwordless } = user
  const words = [name, host, password, password_hash, allow_passwordless, unix_socket]
  if (truthy(await ctx.call('mysql.user_chpass', words, user.connection))) {
    const comment = `Password for user ${login} has been ${passwordless ? 'cleared' : 'changed'}`
    return changed(comment, { [name]: 'Updated' })
  }
  const comment = because(ctx, `Failed to ${passwordless ? 'clear' : 'change'} password for user ${login}`)
  if (!passwordless || isTrue(allow_passwordless)) return failed(comment)
  return failed(`${comment}. Note: allow_passwordless must be True to permit passwordless login.`)
}

const loginNotes = ({ allow_passwordless, unix_socket }: User): { free: string; socket: string } => ({
  free: truthy(allow_passwordless) ? ' with passwordless login' : '',
  socket: truthy(unix_socket) ? ' using unix_socket' : '',
})

function foreseeCreation(user: User): Verdict {
  const { free, socket } = loginNotes(user)
  const refused = truthy(user.allow_passwordless) && !isTrue(user.allow_passwordless)
  const note = refused ? ', but allow_passwordless != True' : ''
  const comment = `User ${user.login} is set to be added${free}${note}${socket}`
  return refused ? failed(comment) : foreseen(comment)
}

async function create(ctx: StateContext, user: User): Promise<Verdict> {
  const { name, host, password, password_hash, allow_passwordless, unix_socket, password_column, auth_plugin } = user
  const words = [name, host, password, password_hash, allow_passwordless, unix_socket, password_column, auth_plugin]
  if (!truthy(await ctx.call('mysql.user_create', words, user.connection))) {
    return failed(because(ctx, `Failed to create user ${user.login}`))
  }
  const { free, socket } = loginNotes(user)
  return changed(`The user ${user.login} has been added${free}${socket}`, { [name]: 'Present' })
}

function absent(ctx: StateContext, name: string, host: string, connection: User['connection']): Promise<StateReturn> {
  const login = `${name}@${host}`
  const unremoved = (): Verdict => {
    const error = takeError(ctx)
    return error === undefined ? settled(`User ${login} is not present, so it cannot be removed`) : failed(error)
  }
  return ensure(ctx, {
    name,
    look: async () => (truthy(await ctx.call('mysql.user_exists', [name, host], connection)) ? 'there' : unremoved()),
    foresee: () => `User ${login} is set to be removed`,
    act: async () => {
      if (!truthy(await ctx.call('mysql.user_remove', [name, host], connection))) return unremoved()
      return changed(`User ${login} has been removed`, { [name]: 'Absent' })
    },
  })
}

export default defineState({
  name: 'mysql_user',
  doc: 'Manage users of MySQL and MariaDB.',
  when: whenMysql,
  functions: {
    present: state({
      doc: 'Ensure that a user exists with the given password.',
      args: userArgs,
      run: (ctx, { connection_args, ...given }) => {
        const { name, host, password, password_hash } = given
        const user: User = {
          ...given,
          connection: Object.fromEntries(connection_args),
          login: `${name}@${host}`,
          passwordless: !password && !password_hash,
        }
        return ensure<Gap>(ctx, {
          name,
          look: () => look(ctx, user),
          foresee: (gap) => (gap === 'missing' ? foreseeCreation(user) : foreseeChange(user)),
          act: (gap) => (gap === 'missing' ? create(ctx, user) : changePassword(ctx, user)),
        })
      },
    }),
    absent: state({
      doc: 'Ensure that a user does not exist.',
      args: { name, host, connection_args: connectionArgs },
      run: (ctx, { name, host, connection_args }) => absent(ctx, name, host, Object.fromEntries(connection_args)),
    }),
  },
})
