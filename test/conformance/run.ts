// `npm run -s conformance -- <area> [--cases DIR] [--filter TEXT] [--trees DIR] [--salt] [--verbose]`: runs one area.
// With `--salt` real Salt answers the scenarios of area `ssh`, from the checkout that SALT_TREE names.
// Prints each failing case, then `N passed, N failed` as the last line; exit 1 on a failure, 2 on a usage error.
import { parseArgs } from 'node:util'
import { toError } from '../../src/base/mod.ts'
import { areaNames } from './corpus.ts'
import { type AreaReport, RequestError } from './report.ts'
import { runArea } from './run-area.ts'

const USAGE = 'usage: conformance <area> [--cases DIR] [--filter TEXT] [--trees DIR] [--salt] [--verbose]'

interface Request {
  area: string
  cases?: string | undefined
  filter?: string | undefined
  trees?: string | undefined
  salt?: boolean | undefined
  verbose?: boolean | undefined
}

function readRequest(argv: string[]): Request {
  const { values, positionals } = parseStrictly(argv)
  const [area, ...rest] = positionals
  if (area === undefined || rest.length > 0) throw new RequestError(`Name one area of: ${areaNames().join(', ')}`)
  return { area, ...values }
}

function parseStrictly(argv: string[]) {
  try {
    return parseArgs({
      args: argv,
      allowPositionals: true,
      options: {
        cases: { type: 'string' },
        filter: { type: 'string' },
        trees: { type: 'string' },
        salt: { type: 'boolean' },
        verbose: { type: 'boolean' },
      },
    })
  } catch (thrown) {
    throw new RequestError(toError(thrown).message)
  }
}

function print(report: AreaReport, verbose: boolean): void {
  const lines: string[] = []
  for (const { name, problem } of report.failures) {
    lines.push(verbose ? `FAIL ${name}\n${problem.replace(/^/gm, '  ')}` : `FAIL ${name}`)
  }
  for (const [name, reason] of report.known) lines.push(`known difference: ${name}: ${reason}`)
  lines.push(...skippedLines(report.skipped))
  lines.push(`${report.passed} passed, ${report.failures.length} failed`)
  process.stdout.write(`${lines.join('\n')}\n`)
}

/** One line for each reason. */
function skippedLines(skipped: ReadonlyMap<string, string>): string[] {
  const byReason = new Map<string, string[]>()
  for (const [name, reason] of skipped) byReason.set(reason, [...(byReason.get(reason) ?? []), name])
  return [...byReason].map(([reason, names]) =>
    names.length === 1 ? `skipped: ${names[0]}: ${reason}` : `skipped ${names.length}: ${reason}`,
  )
}

async function main(argv: string[]): Promise<number> {
  try {
    const request = readRequest(argv)
    const report = await runArea(request.area, request)
    print(report, request.verbose === true)
    return report.failures.length === 0 ? 0 : 1
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    process.stderr.write(`${error.message}\n${USAGE}\n`)
    return 2
  }
}

process.exitCode = await main(process.argv.slice(2))
