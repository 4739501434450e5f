// Shared parts of the mysql states: their condition, and the error of the last function.
import { str, type Value } from '../../../../data/mod.ts'
import { arg, type StateContext, type StateDeclaration } from '../../../../sdk/mod.ts'

export const connectionArgs = arg.open('Connection: connection_host, connection_user, connection_pass and so on')

/** Keywords of the connection, handed on to the functions. */
export type Connection = Readonly<Record<string, Value>>

export const whenMysql: NonNullable<StateDeclaration['when']> = async ({ host }) =>
  (await host.which('mysql')) !== undefined ||
  (await host.which('mariadb')) !== undefined ||
  'mysql module could not be loaded'

/** Return the error of the last call, once. */
export function takeError(ctx: StateContext): string | undefined {
  const error = ctx.memory.get('mysql.error') ?? null
  ctx.memory.delete('mysql.error')
  return error === null ? undefined : str(error)
}

/** Return a comment, with the error of the last call in brackets if there is one. */
export function because(ctx: StateContext, comment: string): string {
  const error = takeError(ctx)
  return error === undefined ? comment : `${comment} (${error})`
}
