// How V8 treats programs that end within a second or two: compiling hot functions anew costs them more than it saves, so
// that is put off until a function has run about twenty times as long as usual. Imported before anything else.
import { setFlagsFromString } from 'node:v8'

setFlagsFromString('--interrupt-budget=1500000')
