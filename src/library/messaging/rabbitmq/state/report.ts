// Shared parts of the rabbitmq states: their condition, and failures of rabbitmqctl as comments.
import { isFailure, type Value } from '../../../../data/mod.ts'
import { arg, type StateDeclaration, type StateReturn } from '../../../../sdk/mod.ts'

export const runas = arg.text('System user that runs the program. Default: the user of the minion', { optional: true })

export const whenRabbit: NonNullable<StateDeclaration['when']> = async ({ host }) =>
  (await host.which('rabbitmqctl')) !== undefined || 'Command not found: rabbitmqctl'

type Changes = StateReturn['changes']

export const report = (name: Value, result: boolean | null, comment: string, changes: Changes = {}): StateReturn => ({
  name,
  result,
  comment,
  changes,
})

/** Report a failure of a command as the comment, with the changes made before it. */
export async function orError(
  name: Value,
  body: () => Promise<StateReturn>,
  changes: Changes = {},
): Promise<StateReturn> {
  try {
    return await body()
  } catch (error) {
    if (!isFailure(error)) throw error
    return report(name, false, `Error: ${error.message}`, changes)
  }
}
