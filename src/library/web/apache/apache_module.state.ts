// Modules of Debian's Apache.
import { switchStates } from './apache/switch.ts'

export default switchStates({ word: 'mod', title: 'module' })
