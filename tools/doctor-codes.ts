// The table of codes at the end of docs/doctor.md, from the declarations: `node --import tsx tools/doctor-codes.ts` writes it.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CODES } from '../src/doctor/mod.ts'

const PAGE = join(import.meta.dirname, '..', 'docs', 'doctor.md')
const BEGIN = '| code | level | what | what to do |\n'

/** The page with the table of the codes as they are declared. */
export function withCodes(page: string): string {
  const rows = Object.entries(CODES).map(
    ([code, { level, what, fix }]) => `| \`${code}\` | ${level} | ${what} | ${fix} |\n`,
  )
  const at = page.indexOf(BEGIN)
  return `${at < 0 ? page : page.slice(0, at)}${BEGIN}|---|---|---|---|\n${rows.join('')}`
}

if (import.meta.filename === process.argv[1]) writeFileSync(PAGE, withCodes(readFileSync(PAGE, 'utf8')))
