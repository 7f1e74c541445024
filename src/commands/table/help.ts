export const trustHelp = `
Until you trust them, only what restricts Cadre takes effect: deny and ask rules, plan
mode. Trust is bound to the content: when a file changes you are asked about it again,
and the others stay trusted. It applies to all later sessions here, including -p.
cadre --trust trusts everything for one run and stores nothing.
`;

export const landHelp = `
Each one lands on top of the previous ones. Work that conflicts, or fails the command in the
setting worktree.gate, stays where it is; the rest lands in one step. Files with
uncommitted changes are never touched. Work that changes protected paths lands
only at a terminal, where you are asked; --yes does not answer that question.
Exit code: 0 all landed, 1 not all, 2 wrong usage.
`;

export const returnHelp = `
A session that is open gets it at once, and its agent continues. Otherwise it is stored, and
delivered when the session is resumed. Without a comment the work is tried on the branch first,
with the gate in worktree.gate: the conflict, or the gate's output, is what is sent.
Exit code: 0 sent or stored, 2 if there is nothing to say.
`;

export const requestHelp = `
The work is put on top of the branch of origin, as last fetched, and pushed as its own branch;
nothing that you have not pushed comes with it. You are asked first, or agree with --yes.
Title and body come from the agent's task, report and commits. The worktree stays.
`;

export const verifyHelp = `
<run> is the id of a session (or its beginning), the id of a workflow run, the path of a transcript, or an
envelope that --export wrote. The hashes of a run's records are kept apart from them, in ~/.cadre/anchors.
With --export, a key in ~/.cadre/receipt-key.pem signs unless --key names another.
Exit code: 0 everything is as recorded and every claim is confirmed, 1 not so, 2 wrong usage.
`;
