// Letters for the switches of pkg, and what it says about upgrades.
import { type Dict, str, truthy, type Value } from '../../../../data/mod.ts'

/** The letters of the switches that are on, in the order of the table. */
export const switches = (given: Readonly<Record<string, Value>>, letters: Readonly<Record<string, string>>): string =>
  Object.entries(letters)
    .filter(([name]) => truthy(given[name] ?? null) && str(given[name]!).toLowerCase() !== 'false')
    .map(([, letter]) => letter)
    .join('')

const HEADING = 'Installed packages to be UPGRADED:'
const UPGRADE = /^\s+([^:]+):\s([0-9a-z_,.]+)\s+->\s+([0-9a-z_,.]+)/

/** New versions by name, from a dry run of `pkg upgrade`. */
export function upgradesIn(output: string): Dict {
  const found: Dict = new Map()
  let inside = false
  for (const line of output.split('\n')) {
    const match = inside ? UPGRADE.exec(line) : null
    if (match) found.set(match[1]!, match[3]!)
    else inside = line === HEADING
  }
  return found
}
