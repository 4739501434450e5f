// `npm run package [-- --arch amd64|arm64 --format deb|rpm --out DIR --sign KEY]`: packages of Debian and RPM with programs, Node.js and units.
// Both architectures and both formats unless named, into packages/.
import { mkdirSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { toError } from '../../src/base/mod.ts'
import { makePackages, type Wanted } from './make.ts'
import { checkSigner, type Signer, sign } from './sign.ts'
import { ARCHITECTURES, type Architecture } from './target.ts'

const FORMATS = ['deb', 'rpm'] as const

type Command = Omit<Wanted, 'architecture' | 'say'> & {
  architectures: readonly Architecture[]
  signer: Signer | undefined
}

const root = join(import.meta.dirname, '..', '..')

function chosen<T extends string>(option: string, values: readonly T[], given: string[] | undefined): readonly T[] {
  const unknown = given?.find((each) => !values.some((value) => value === each))
  if (unknown !== undefined) throw new Error(`--${option} '${unknown}' is not one of ${values.join(', ')}`)
  return values.filter((value) => given === undefined || given.includes(value))
}

function wantedBy(argv: string[]): Command {
  const { values } = parseArgs({
    args: argv,
    options: {
      arch: { type: 'string', multiple: true },
      format: { type: 'string', multiple: true },
      out: { type: 'string', default: join(root, 'packages') },
      revision: { type: 'string', default: '1' },
      quick: { type: 'boolean', default: false },
      sign: { type: 'string' },
      'gpg-home': { type: 'string' },
    },
  })
  if (!/^\d[\w.~+]*$/.test(values.revision))
    throw new Error(`--revision '${values.revision}' is not a revision such as 1`)
  return {
    architectures: chosen('arch', ARCHITECTURES, values.arch),
    formats: chosen('format', FORMATS, values.format),
    out: resolve(values.out),
    revisions: [values.revision],
    compression: values.quick ? 'quick' : 'small',
    signer: values.sign === undefined ? undefined : { key: values.sign, home: values['gpg-home'] },
  }
}

const say = (text: string): void => void process.stdout.write(`${text}\n`)

async function main(argv: string[]): Promise<number> {
  try {
    const { signer, ...wanted } = wantedBy(argv)
    if (signer) await checkSigner(signer)
    mkdirSync(wanted.out, { recursive: true })
    for (const architecture of wanted.architectures) {
      for (const file of await makePackages(root, { ...wanted, architecture, say })) {
        say(relative(process.cwd(), file))
        if (signer) say(relative(process.cwd(), await sign(signer, file, `${file}.asc`)))
      }
    }
    return 0
  } catch (error) {
    process.stderr.write(`${toError(error).message}\n`)
    return 1
  }
}

process.exitCode = await main(process.argv.slice(2))
