import { describe, expect, test } from 'vitest'
import { fromPlain, type Value } from '../../data/mod.ts'
import { ProgramExit, UsageError } from './exit.ts'
import { helpText } from './help.ts'
import type { Program } from './option.ts'
import { parseCommandLine } from './parse.ts'

const PROGRAM: Program = {
  name: 'prog',
  usage: '[options] FILE',
  description: 'Does what it is told.',
  options: [
    { flags: ['--version'], action: 'version', help: 'Version' },
    { flags: ['-h', '--help'], action: 'help', help: 'Say this' },
    { flags: ['-o', '--out'], choices: ['yaml', 'json'], help: 'Form' },
    { flags: ['--output-file'], help: 'File' },
    { flags: ['-v', '--verbose'], action: 'store_true', default: false, help: 'More' },
    { flags: ['--quiet-not'], action: 'store_false', dest: 'quiet', default: true, help: 'Less' },
    { flags: ['-t', '--timeout'], type: 'int', default: 5, help: 'Seconds' },
    { flags: ['--wait'], type: 'float', help: 'Seconds' },
    { flags: ['-m'], dest: 'dirs', action: 'append', help: 'Folder' },
    { flags: ['--pair'], nargs: 2, help: 'Two' },
  ],
  groups: [
    { title: 'Logging', description: 'About logs.', options: [{ flags: ['--log-file'], action: 'file', help: 'Log' }] },
  ],
}

const parse = (...argv: string[]) => parseCommandLine(PROGRAM, argv, '1.2')

describe('a command line', () => {
  test.each<[string[], Record<string, unknown>, string[]]>([
    [[], {}, []],
    [['a', '--out', 'json', 'b'], { out: 'json' }, ['a', 'b']],
    [['--out=json'], { out: 'json' }, []],
    [['-ojson'], { out: 'json' }, []],
    [['-vo', 'yaml'], { verbose: true, out: 'yaml' }, []],
    [['--verb'], { verbose: true }, []],
    [['--output-file='], { output_file: '' }, []],
    [['--output-file', '-v'], { output_file: '-v' }, []],
    [['--', '--out'], {}, ['--out']],
    [['-'], {}, ['-']],
    [['--quiet-not'], { quiet: false }, []],
    [['-t', '0x10'], { timeout: 16 }, []],
    [['-t010'], { timeout: 8 }, []],
    [['--timeout=-3'], { timeout: -3 }, []],
    [['-m', 'a', '-mb'], { dirs: ['a', 'b'] }, []],
    [['--pair', 'a', 'b', 'c'], { pair: ['a', 'b'] }, ['c']],
    [['--log-file', 'x'], { log_file: './x' }, []],
    [['--log-file', '/y/x'], { log_file: '/y/x' }, []],
  ])('%j', (argv, values, args) => {
    const parsed = parse(...argv)
    const given = new Map<string, Value>([...parsed.values].filter(([dest]) => parsed.given.has(dest)))
    expect(given).toEqual(fromPlain(values))
    expect(parsed.args).toEqual(args)
  })

  test('uses defaults for options that are not given', () => {
    expect(Object.fromEntries(parse().values)).toMatchObject({ verbose: false, quiet: true, timeout: 5, out: null })
  })

  test.each<[string[], string]>([
    [['--nope'], 'no such option: --nope'],
    [['-x'], 'no such option: -x'],
    [['--out'], '--out option requires 1 argument'],
    [['--pair', 'a'], '--pair option requires 2 arguments'],
    [['--ou', 'json'], 'ambiguous option: --ou (--out, --output-file?)'],
    [['--verbose=yes'], '--verbose option does not take a value'],
    [['--out', 'xml'], "option --out: invalid choice: 'xml' (choose from 'yaml', 'json')"],
    [['-t', 'x'], "option -t: invalid integer value: 'x'"],
    [['--wait', 'x'], "option --wait: invalid floating-point value: 'x'"],
  ])('%j is refused', (argv, message) => {
    expect(() => parse(...argv)).toThrow(new UsageError(message))
  })

  test('asks for help or the version before anything later is looked at', () => {
    expect(() => parse('-h', '--nope')).toThrow(ProgramExit)
    expect(() => parse('--version')).toThrow('prog 1.2\n')
  })
})

test('help has usage, description, two columns and indented groups', () => {
  const text = helpText(PROGRAM)
  expect(text).toContain('Usage: prog [options] FILE\n\nDoes what it is told.\n\nOptions:\n  --version ')
  expect(text).toContain('  -o OUT, --out=OUT     Form\n')
  expect(text).toContain('  --output-file=OUTPUT_FILE\n                        File\n')
  expect(text).toContain('\n  Logging:\n    About logs.\n\n    --log-file=LOG_FILE')
})
