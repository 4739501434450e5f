// `pam`: the users of the master's machine. PAM is asked by a process of its own, as Salt does it, through Python's ctypes;
// the password goes to it by its input, never by its arguments.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { str, textOf } from '../../data/mod.ts'
import type { AuthBackend } from './backends.ts'

/** Asks PAM for the user and password on its input; the exit status is the answer. */
const ASK = `
import ctypes, sys
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_int, c_uint, c_void_p, cast, sizeof
service, user, password = sys.stdin.buffer.read().split(b"\\0")
libc, pam = ctypes.CDLL(None), ctypes.CDLL("libpam.so.0")
libc.calloc.restype, libc.strdup.restype = c_void_p, c_void_p
class Message(Structure): _fields_ = [("style", c_int), ("msg", c_char_p)]
class Response(Structure): _fields_ = [("resp", c_void_p), ("code", c_int)]
Talk = CFUNCTYPE(c_int, c_int, POINTER(POINTER(Message)), POINTER(POINTER(Response)), c_void_p)
class Conversation(Structure): _fields_ = [("talk", Talk), ("data", c_void_p)]
@Talk
def talk(count, messages, responses, data):
    block = libc.calloc(count, sizeof(Response))
    responses[0] = cast(block, POINTER(Response))
    for at in range(count):
        if messages[at].contents.style == 1:
            responses.contents[at].resp = libc.strdup(c_char_p(password))
    return 0
handle = c_void_p()
if pam.pam_start(service, user, byref(Conversation(talk, None)), byref(handle)) != 0: sys.exit(2)
answer = pam.pam_authenticate(handle, 0) or pam.pam_acct_mgmt(handle, 0)
pam.pam_end(handle, answer)
sys.exit(0 if answer == 0 else 1)
`

/** Logins that are judged at the same time, and that may wait; anybody can ask for more of them than a machine has room for. */
const AT_ONCE = 8
const MOST_WAITING = 256
const waiting: Array<() => void> = []
let running = 0

async function ask(service: string, user: string, password: string): Promise<boolean> {
  if (waiting.length >= MOST_WAITING) return false
  if (running >= AT_ONCE) await new Promise<void>((next) => waiting.push(next))
  running++
  try {
    return await judged(service, user, password)
  } finally {
    running--
    waiting.shift()?.()
  }
}

function judged(service: string, user: string, password: string): Promise<boolean> {
  return new Promise((done) => {
    const child = spawn('python3', ['-c', ASK], { stdio: ['pipe', 'ignore', 'ignore'], timeout: 30_000 })
    child.once('error', () => done(false))
    child.once('close', (code) => done(code === 0))
    child.stdin.on('error', () => done(false))
    child.stdin.end(`${service}\0${user}\0${password}`)
  })
}

const pam: AuthBackend = {
  name: (credentials) => str(credentials.get('username') ?? ''),
  check: (credentials, { opts }) => {
    const user = textOf(credentials.get('username') ?? null)
    const password = textOf(credentials.get('password') ?? null)
    if (!user || password === undefined || user.includes('\0') || password.includes('\0')) return false
    return ask(textOf(opts.get('auth.pam.service') ?? null) ?? 'login', user, password)
  },
  groups: (user) => {
    const lines = readFileSync('/etc/group', 'utf8').split('\n')
    return lines.filter((line) => line.split(':')[3]?.split(',').includes(user)).map((line) => line.split(':')[0]!)
  },
}

export default pam
