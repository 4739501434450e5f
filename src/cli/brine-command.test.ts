import { expect, test } from 'vitest'
import { BrineError } from '../base/mod.ts'
import { COMMAND_HELP, runCommand } from './brine-command.ts'
import type { Program } from './optparse/option.ts'

const PROGRAM: Program = { name: 'brine try', usage: '[options]', options: [COMMAND_HELP], groups: [] }

async function ran(argv: readonly string[], work: () => Promise<number>) {
  const printed = { out: '', err: '' }
  const streams = {
    out: (text: string) => void (printed.out += text),
    err: (text: string) => void (printed.err += text),
    terminal: false,
    errTerminal: false,
  }
  return { status: await runCommand(PROGRAM, argv, streams, work), ...printed }
}

test('a failure ends with 1, and names of files in it cannot steer the terminal', async () => {
  const failure = new BrineError('BadArchive', 'a.tar has x\x1b[2Jy twice', { hint: 'Name another file' })
  expect(await ran([], () => Promise.reject(failure))).toEqual({
    status: 1,
    out: '',
    err: 'brine try: a.tar has x\\x1b[2Jy twice\nName another file\n',
  })
})

test('a mistake in the command line ends with 64 after the usage', async () => {
  const { status, err } = await ran(['--nope'], () => Promise.resolve(0))
  expect([status, err]).toEqual([
    64,
    expect.stringMatching(/^Usage: brine try .*brine try: error: no such option: --nope\n$/s),
  ])
})
