// `npm run -s coverage`: prints the share of the functions in real formulas that exist here, and the missing ones.
import { coverage } from './coverage.ts'

for (const { what, share, occurrences, missing } of coverage()) {
  process.stdout.write(`${(share * 100).toFixed(2)} % of ${occurrences} ${what}\n`)
  for (const [name, count] of missing) process.stdout.write(`  ${String(count).padStart(5)} ${name}\n`)
}
