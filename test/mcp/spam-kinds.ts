export const spamKinds = ['notification', 'prompts', 'progress', 'ping', 'log', 'chatter', 'blank', 'stderr'];
