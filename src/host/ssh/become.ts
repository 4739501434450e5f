// Changes from the login user to another: by sudo, doas or su. A password is sent over the channel's stdin when the
// prompt appears.
import { word } from './shell-text.ts'
import type { SshTarget } from './target.ts'

export interface BecomePlan {
  terminal: boolean
  /** The prompt given to sudo; su and doas have their own. */
  prompt?: string
  password?: string
  /** Whether the shell's input must wait until the question is over, because the program would read it as a password. */
  waits: boolean
}

const SUDO_PROMPT = 'brine-password:'

export function becomePlan({ become, tty: isTerminal = false }: SshTarget): BecomePlan {
  const password = become?.password
  if (become === undefined) return { terminal: isTerminal, waits: isTerminal }
  // doas reads a password only from a terminal, and so do many a su
  const needsTerminal = isTerminal || (become.program !== 'sudo' && password !== undefined)
  const waits = needsTerminal || password !== undefined || become.program === 'su'
  return { terminal: needsTerminal, waits, prompt: SUDO_PROMPT, ...(password !== undefined && { password }) }
}

/** Marks for the progress of the login: the shell runs, it runs as the wanted user, the line begins. */
export interface LoginMarks {
  login: string
  user: string
  ready: string
}

/**
 * Return the script for `sh -c` that prints the mark of the login, changes the user, prints the second mark, the output
 * of the preamble, and the third mark, and runs the line.
 */
export function becomeLine(
  { become }: SshTarget,
  plan: BecomePlan,
  marks: LoginMarks,
  line: string,
  preamble = '',
): string {
  const raw = plan.terminal ? 'stty raw -echo 2>/dev/null; ' : ''
  const start = `echo ${marks.login}; ${raw}`
  const shell = `${raw}echo ${marks.user}; ${preamble}echo ${marks.ready}; ${line}`
  if (become === undefined) return start + shell
  const user = word(become.user)
  const asked = plan.password !== undefined
  const program = {
    sudo: `exec sudo ${asked ? `-S -p ${SUDO_PROMPT}` : '-n'} -H -u ${user} -- /bin/sh -c ${word(shell)}`,
    doas: `exec doas ${asked ? '' : '-n '}-u ${user} -- /bin/sh -c ${word(shell)}`,
    su: `LC_ALL=C exec su -s /bin/sh -c ${word(shell)} ${user}`,
  }[become.program]
  return start + program
}

/** A question for a password is no longer than this, in characters; the target decides how long its lines are. */
const LONGEST_QUESTION = 500

/** Whether the last words on the channel are a question for a password. */
export const isQuestion = (text: string): boolean => /assword[^\n]*: ?$/.test(text.slice(-LONGEST_QUESTION))
