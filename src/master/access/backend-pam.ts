// `pam`: the users of the master's machine. A separate process calls PAM, as in Salt.
import { readFileSync } from 'node:fs'
import { option } from '../../config/mod.ts'
import { briefStr, textOf } from '../../data/mod.ts'
import type { AuthBackend } from './auth-backend.ts'
import { askPython } from './system-python.ts'

/** Checks the user and password on its input with PAM; the exit status is the result. */
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
sys.exit(0 if answer == 0 else 3)
`

/** The exit status of a login that PAM refused; Python's own failures have others. */
const REFUSED = 3

/** The longest name or password: PAM_MAX_RESP_SIZE without the closing null byte. Hashing a longer one would only cost time. */
const MOST_BYTES = 511

const isAnswer = (text: string | undefined): text is string =>
  text !== undefined && !text.includes('\0') && Buffer.byteLength(text) <= MOST_BYTES

const pam: AuthBackend = {
  name: (credentials) => briefStr(credentials.get('username') ?? ''),
  check: async (credentials, { opts, log }) => {
    const user = textOf(credentials.get('username') ?? null)
    const password = textOf(credentials.get('password') ?? null)
    if (user === '' || !isAnswer(user) || !isAnswer(password)) return false
    const service = option(opts, 'auth.pam.service')
    const { code } = await askPython(opts, ASK, [service, user, password])
    if (code !== 0 && code !== REFUSED)
      log('error', `PAM could not judge a login: the service ${service} or Python failed`)
    return code === 0
  },
  groups: (user) => {
    const lines = readFileSync('/etc/group', 'utf8').split('\n')
    return lines.filter((line) => line.split(':')[3]?.split(',').includes(user)).map((line) => line.split(':')[0]!)
  },
}

export default pam
