// Answers the prompts of ssh. ssh starts a script with the prompt as its argument; the script sends it to this process
// through a named pipe, and reads the answer from another. So a secret is in no argument, environment variable or file.
// Prompts that are not about this login are refused and printed: the question about an unknown host key is then part of
// ssh's output.
import { execFileSync } from 'node:child_process'
import { accessSync, constants, mkdtempSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path/posix'
import { PRIVATE_FOLDER } from '../../base/mod.ts'
import { SshError } from './errors.ts'
import { AGENT_FORWARDING, type SshTarget } from './target.ts'

const SCRIPT = `#!/bin/sh
if [ -n "$BRINE_ASKPASS" ]; then
  q=$(printf %s "$1" | tr '\\n' ' ')
  printf '%s\\n' "$q" > "$BRINE_ASKPASS/question"
  IFS= read -r a < "$BRINE_ASKPASS/answer"
  case $a in =*) printf '%s\\n' "\${a#=}"; exit 0;; esac
fi
printf '%s\\n' "$1" >&2
exit 1
`

/** Write the script to a directory from which programs may be started: some systems mount /run with noexec. */
function scriptIn(folder: string): { path: string; made?: string } {
  const own = join(folder, 'askpass')
  for (const [path, made] of candidates(own)) {
    if (!statSync(path, { throwIfNoEntry: false })) writeFileSync(path, SCRIPT, { mode: PRIVATE_FOLDER })
    try {
      accessSync(path, constants.X_OK)
      return { path, ...(made !== undefined && { made }) }
    } catch {
      // not here: programs of this file system cannot be started
      if (made !== undefined) rmSync(made, { recursive: true, force: true })
    }
  }
  throw new SshError('Unreachable', 'No directory for a script that answers ssh: all are mounted with noexec', '')
}

function* candidates(own: string): Generator<[path: string, made?: string]> {
  yield [own]
  for (const base of [tmpdir(), homedir()]) {
    const made = mkdtempSync(join(base, '.brine-'))
    yield [join(made, 'askpass'), made]
  }
}

export class Askpass {
  readonly environment: Record<string, string>
  private readonly made: string[] = []
  private questions: Socket | undefined

  /** `destination` is the login as ssh names it in its question for the password. */
  constructor(target: SshTarget, folder: string, destination: () => string) {
    const script = scriptIn(folder)
    if (script.made !== undefined) this.made.push(script.made)
    // before OpenSSH 8.4 there was no SSH_ASKPASS_REQUIRE, and a DISPLAY was required
    this.environment = {
      SSH_ASKPASS: script.path,
      SSH_ASKPASS_REQUIRE: 'force',
      DISPLAY: process.env['DISPLAY'] ?? ':0',
    }
    this.environment['BRINE_ASKPASS'] = ''
    if (target.password !== undefined || target.passphrase !== undefined) this.listen(target, folder, destination)
  }

  private listen(target: SshTarget, folder: string, destination: () => string): void {
    const place = mkdtempSync(join(folder, '.ask-'))
    this.made.push(place)
    const [question, answer] = [join(place, 'question'), join(place, 'answer')]
    execFileSync('mkfifo', ['-m', '600', question, answer])
    this.environment['BRINE_ASKPASS'] = place
    // open for reading and writing: neither side waits for the other to open it
    const replies = openSync(answer, constants.O_RDWR | constants.O_NONBLOCK)
    const asked = openSync(question, constants.O_RDWR | constants.O_NONBLOCK)
    let text = ''
    this.questions = new Socket({ fd: asked, readable: true, writable: false })
    this.questions.on('data', (piece) => {
      text += piece
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
        const secret = secretFor(target, text.slice(0, end), destination)
        text = text.slice(end + 1)
        writeSync(replies, secret === undefined ? '-\n' : `=${secret}\n`)
      }
    })
    this.questions.once('close', () => new Socket({ fd: replies }).destroy())
    this.questions.unref()
  }

  close(): void {
    this.questions?.destroy()
    for (const path of this.made.splice(0)) rmSync(path, { recursive: true, force: true })
  }
}

/** Return the secret for a prompt. A prompt of a jump host gets no password of the target. */
function secretFor(target: SshTarget, question: string, destination: () => string): string | undefined {
  const { identity, passphrase, password } = target
  if (passphrase !== undefined && identity !== undefined && identity !== AGENT_FORWARDING) {
    if (/passphrase for (key )?/.test(question) && question.includes(identity)) return passphrase
  }
  if (password !== undefined && question.trim() === `${destination()}'s password:`) return password
  return undefined
}
