// `npm run apt-repository -- --out DIR [--packages DIR] [--sign KEY]`: a repository for apt of the Debian packages that `npm run package`
// made. DIR can be served by any web server, or used by a file: source.

import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { toError } from '../src/base/mod.ts'
import { makeRepository } from './apt-repository/make.ts'

async function main(argv: string[]): Promise<number> {
  try {
    const { values } = parseArgs({
      args: argv,
      options: {
        out: { type: 'string' },
        packages: { type: 'string', default: 'packages' },
        suite: { type: 'string', default: 'stable' },
        sign: { type: 'string' },
        'gpg-home': { type: 'string' },
      },
    })
    if (values.out === undefined) throw new Error('Name the directory of the repository with --out')
    const out = resolve(values.out)
    const added = await makeRepository({
      out,
      packages: resolve(values.packages),
      suite: values.suite,
      signer: values.sign === undefined ? undefined : { key: values.sign, home: values['gpg-home'] },
    })
    for (const line of added) process.stdout.write(`${line}\n`)
    return 0
  } catch (error) {
    process.stderr.write(`${toError(error).message}\n`)
    return 1
  }
}

process.exitCode = await main(process.argv.slice(2))
