import assert from 'node:assert/strict';
import fc from 'fast-check';
import { classify } from '../../../src/engine/classify/classify.js';
import { gates, kinds, type Gate, type Kind } from '../../../src/engine/model/memory.js';
import {
  labeledStatements,
  classifyAsMajority,
  measureClassifier,
  classifyByKeywords,
} from '../../bench/kit/labeledStatements.js';
import { arbitraryText } from '../text/arbitraryText.js';

/** A Wednesday. */
const now = new Date('2026-11-18T10:00:00Z');

describe('classify', () => {
  const gateTable: readonly (readonly [gate: Gate, text: string])[] = [
    // The seed's own examples.
    ['behavioral', 'I always use 2-space indentation.'],
    ['behavioral', 'I prefer functional components over class components.'],
    ['behavioral', 'I run tests with pytest and use fixtures heavily.'],
    ['epistemic', 'The audit is on 31 April 2027.'],
    ['relational', 'Sarah leads the auth service.'],
    ['relational', 'Marcus handles the data pipeline.'],
    ['relational', 'The design team uses Figma and ships weekly.'],
    ['epistemic', 'Our API uses JWT with RS256 signing.'],
    ['epistemic', 'The user table has a composite index on (org_id, email).'],
    ['epistemic', 'We deploy to AWS us-east-1.'],
    ['epistemic', 'Tech stack: AI: answers through the model of the harbour'],
    ['promissory', 'We decided to migrate to Postgres next sprint.'],
    ['promissory', 'The API v2 launch is scheduled for March.'],
    ['promissory', 'I promised to refactor the auth middleware before Friday.'],
    ['correction', 'Do not use the legacy /v1/users endpoint.'],
    ['correction', 'The config key is database_url, not db_url.'],
    ['correction', 'Never commit .env files to the repo.'],
    // Mixtures, one word apart.
    ['epistemic', 'We decided to use Postgres'],
    ['relational', 'Sarah prefers short PRs'],
    ['behavioral', 'I prefer short PRs'],
    ['behavioral', 'Always run migrations before deploying'],
    ['correction', "Don't use moment.js, use date-fns"],
    ['behavioral', 'I use pnpm for everything, never npm'],
    ['epistemic', 'Kafka handles the event backlog'],
    ['epistemic', 'The build will fail if the lockfile is out of date'],
    ['promissory', 'The build script will be removed in March'],
    ['epistemic', 'A person can have many addresses'],
    ['epistemic', 'The deadline column is a timestamptz'],
    ['promissory', 'Ship the onboarding checklist by 15 March'],
    ['behavioral', 'Keep explanations short'],
    ['epistemic', 'Build artefacts are kept for 14 days'],
    ['behavioral', 'API layer: keep handlers thin'],
    ['epistemic', 'Backups are checked each Friday'],
    ['epistemic', 'xyzzy'],
    // Words of plans that plan nothing.
    ['epistemic', 'The eta gateway answers on port 6100.'],
    ['promissory', 'ETA: Thursday'],
    ['epistemic', 'Todo items are stored in IndexedDB.'],
    ['promissory', 'TODO: add a health check'],
    ['epistemic', 'Tracing is off as of today.'],
    ['epistemic', 'Scheduled reports run in the worker.'],
    ['promissory', 'The reindex is scheduled for Thursday.'],
    ['epistemic', 'The roadmap lives in Notion.'],
    ['promissory', 'Dark mode is on the roadmap.'],
    // What changed is a fact, whatever it was before.
    ['epistemic', 'Actually the exporter runs on port 7001 now.'],
    ['epistemic', 'We no longer use Jenkins.'],
    ['correction', 'You used the wrong port again.'],
  ];
  for (const [gate, text] of gateTable) {
    it(`${gate}: ${text}`, () => {
      assert.equal(classify(text, now).gate, gate);
    });
  }

  const kindTable: readonly (readonly [kind: Kind, text: string])[] = [
    ['pitfall', 'Never commit .env files to the repo.'],
    ['preference', 'I always use 2-space indentation.'],
    ['procedure', 'Always run migrations before deploying'],
    ['decision', 'We decided to use Postgres'],
    ['decision', 'We decided to migrate to Postgres next sprint.'],
    ['architecture', 'We deploy to AWS us-east-1.'],
    ['gotcha', 'The parser fails silently on nested quotes'],
    ['insight', 'The root cause was an expired certificate'],
    ['friction', 'Setting up the VPN on Linux is painful'],
    ['progress', 'Implemented pagination for the audit log'],
    ['pattern', 'Every service exposes a health check by convention'],
    ['summary', 'Session summary: moved the mailer into its own package'],
    ['context', 'Sarah leads the auth service.'],
    ['progress', 'The API v2 launch is scheduled for March.'],
  ];
  for (const [kind, text] of kindTable) {
    it(`kind ${kind}: ${text}`, () => {
      assert.equal(classify(text, now).kind, kind);
    });
  }

  it('returns a due date for promissory statements only', () => {
    assert.equal(classify('I promised to refactor it before Friday', now).dueAt, '2026-11-20T23:59:59.999Z');
    assert.equal(classify('I promised to refactor it', now).dueAt, undefined);
    assert.ok(!('dueAt' in classify('Jonas is on parental leave until March', now)));
  });

  it('is more confident the larger the margin of the best gate is', () => {
    const confidence = (text: string): number => classify(text, now).confidence;
    assert.equal(confidence('xyzzy'), 60, 'no sign');
    assert.ok(
      confidence('I always prefer tabs') > confidence('I prefer tabs because the team table likes it'),
      'margin',
    );
    assert.ok(confidence('Never, ever commit .env files; that is wrong, not right, do not do it') <= 95);
  });

  it('names the matching cues, strongest first', () => {
    assert.deepEqual(classify('Sarah leads the auth service.', now).cues, ['person does', 'name leads', 'person']);
    assert.deepEqual(classify('xyzzy', now).cues, []);
    assert.ok(classify('We decided to use Postgres', now).cues.includes('kind: decision'));
  });

  it('ignores code, reporting phrases and labels', () => {
    assert.equal(classify('The flag is `never commit` in the config file', now).gate, 'epistemic');
    assert.equal(classify('Please remember that I prefer tabs', now).gate, 'behavioral');
    assert.equal(classify('Code style: use tabs', now).gate, 'behavioral');
  });

  it('classifies at least nine of ten held-out statements correctly, far above the baselines', () => {
    const { heldOut } = labeledStatements();
    const { gate, kind } = measureClassifier(heldOut);
    assert.ok(heldOut.length >= 300);
    assert.ok(gate >= 0.9, `gate ${gate}`);
    assert.ok(kind >= 0.75, `kind ${kind}`);
    assert.ok(measureClassifier(heldOut, classifyByKeywords).gate < 0.6);
    assert.ok(measureClassifier(heldOut, classifyAsMajority).gate < 0.4);
  });

  it('has no labelled statement in both the development and the held-out set', () => {
    const { dev, heldOut } = labeledStatements();
    const all = [...dev, ...heldOut].map(it => it.text.toLowerCase());
    assert.equal(new Set(all).size, all.length);
  });

  it('never throws and returns values in range', () => {
    fc.assert(
      fc.property(arbitraryText(120), text => {
        const it = classify(text, now);
        assert.ok(gates.includes(it.gate) && kinds.includes(it.kind) && it.confidence >= 60 && it.confidence <= 95);
        assert.deepEqual(classify(text, now), it);
      }),
    );
  });
});
