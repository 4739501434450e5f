// Prepares what the lab's tests need, or says in one line why this machine cannot run them.
import { debian, mirrorTrouble } from './debian.ts'
import { prepare } from './lab.ts'
import { obstacle } from './obstacle.ts'
import { STOCK } from './stock.ts'

/** Why the tests are to be skipped; undefined when everything is ready for them. */
export async function reasonToSkip(): Promise<string | undefined> {
  const found = await obstacle()
  if (found !== undefined) return found
  try {
    await prepare({ stock: STOCK })
    return undefined
  } catch (error) {
    const trouble = await mirrorTrouble(await debian())
    if (trouble === undefined) throw error
    return trouble
  }
}
