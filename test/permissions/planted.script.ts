import { exploreRole } from '../../src/permissions/roles.ts';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { judge } from './cases.ts';

// Prints what is decided about a command in a directory: for the main agent, and for one that only looks.
const [root = '', command = ''] = process.argv.slice(2);
const workspace = { cwd: root, directories: [], realPath: resolveRealPath, look: lookAtFiles([root]) };
const one = { accesses: [{ kind: 'shell' as const, command, cwd: root }], workspace };
console.log(judge(one).behaviour, judge({ ...one, role: exploreRole }).behaviour);
