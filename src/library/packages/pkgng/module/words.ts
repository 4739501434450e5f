// The letters for switches of pkg, and the output of its dry run of an upgrade.
import type { Dict } from '../../../../data/mod.ts'

/** Return the letters of the switches that are on, in the order of the table. */
export const switches = <K extends string>(
  given: { readonly [name in NoInfer<K>]: boolean },
  letters: Readonly<Record<K, string>>,
): string =>
  (Object.keys(letters) as K[])
    .filter((name) => given[name])
    .map((name) => letters[name])
    .join('')

const HEADING = 'Installed packages to be UPGRADED:'
const UPGRADE = /^\s+([^:]+):\s([0-9a-z_,.]+)\s+->\s+([0-9a-z_,.]+)/

/** Return the new versions by name in the output of a dry run of `pkg upgrade`. */
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
