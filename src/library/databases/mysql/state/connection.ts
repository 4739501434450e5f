// What the mysql states share: when they can be applied, the error that a function left behind, and their report.
import { str, type Value } from '../../../../data/mod.ts'
import { arg, type StateContext, type StateDeclaration, type StateReturn } from '../../../../sdk/mod.ts'

export type Given = Readonly<Record<string, Value>>

export const connectionArgs = arg.open('How to connect: connection_host, connection_user, …')

export const whenMysql: NonNullable<StateDeclaration['when']> = async ({ host }) =>
  (await host.which('mysql')) !== undefined ||
  (await host.which('mariadb')) !== undefined ||
  'mysql module could not be loaded'

/** The connection among the arguments of a state, and the rest. */
export function parted(args: object): { given: Given; connection: Record<string, Value> } {
  const { connection_args, ...given } = args as Given & { connection_args: Map<string, Value> }
  return { given, connection: Object.fromEntries(connection_args) }
}

/** What went wrong in the last call, told once. */
export function takeError(ctx: StateContext): string | undefined {
  const error = ctx.memory.get('mysql.error') ?? null
  ctx.memory.delete('mysql.error')
  return error === null ? undefined : str(error)
}

export const report = (name: string, comment: string, result: boolean | null = true, changes = {}): StateReturn => ({
  name,
  changes,
  result,
  comment,
})

/** A comment, with the error in brackets when there is one. */
export function because(ctx: StateContext, comment: string): string {
  const error = takeError(ctx)
  return error === undefined ? comment : `${comment} (${error})`
}
