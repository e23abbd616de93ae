import { cuesForGate } from './cue.js';
import * as lexicon from '../lexicon.js';

/** Cues of people, teams and ownership, roughly from the strongest to the weakest. */
export const relationalCues = cuesForGate('relational', [
  {
    name: 'person does',
    weight: 3.5,
    keywords: ['personname'],
    pattern: `\\bPERSONNAME(?:(?: and|,| &|/|,? and) (?:PERSONNAME|i)| \\([^)]{1,40}\\)| \\p{Lu}[\\p{L}]+|,? (?:from|in|on|at) (?:the )?[\\w ]{1,20}?)?,? (?:usually |always |currently |also |now |still |only |mostly |directly )*(?:${lexicon.personVerbs})(?![\\w])`,
  },
  { name: 'person', weight: 2.5, keywords: ['personname'], pattern: /\bPERSONNAME\b/u },
  {
    name: 'person is role',
    weight: 4,
    keywords: 'personname|nobody but|mr |mr. |mrs |mrs. |ms |ms. |dr |dr. '.split('|'),
    pattern: `\\bPERSONNAME\\b.{0,30}\\b(?:${lexicon.roleNouns})\\b|\\b(?:${lexicon.roleNouns})\\b.{0,40}?\\bPERSONNAME\\b|\\bPERSONNAME(?:'s)? (?:the|our|my)\\b|\\b(?:go|goes|belongs?|report|reports|come|comes|delegated?|handed|routed?|translations?) (?:\\w+ )?(?:to|from|through|by) PERSONNAME\\b|: PERSONNAME\\b|\\bnobody but \\p{Lu}|\\b(?:mr|mrs|ms|dr)\\.? \\p{Lu}`,
  },
  {
    name: 'name leads',
    weight: 3.5,
    pattern: new RegExp(
      `^(?!(?:${lexicon.productNames
        .split('|')
        .map(word => `[${word[0]!.toUpperCase()}${word[0]!}]${word.slice(1).replace(/\(\?:/g, '(?:')}`)
        .join(
          '|',
        )})\\b)\\p{Lu}\\p{L}+(?: \\p{Lu}\\p{L}+)? (?:leads|owns|manages|mentors|reviews|approves|oversees|heads|supervises|reports to|authored|covers|sits|joined|left|stepped|took over|knows|speaks|works (?:on|with|from|part)|can deploy|is (?:on (?:vacation|leave|call|parental|holiday|PTO)|out|back|based|responsible|in charge|(?:the|our|my) (?:[\\w-]+ )*(?:lead|manager|owner|designer|PM|CTO|contact|reviewer|maintainer|expert|person|backup|tester|architect)))\\b`,
      'u',
    ),
  },
  {
    name: 'team does',
    weight: 4,
    keywords: 'team|squad|tribe|guild|crew|department|committee|chapter|trio|org|folks|people'.split('|'),
    pattern:
      "\\b(?:the|our|my|their|another|this|that)(?: [\\w-]+){0,3} (?:team|teams|squad|squads|tribe|guild|crew|department|committee|chapter|trio|org)(?:'s)?\\b(?! (?:ids?|table|model|settings|plan|page|slug|endpoint|object|entity|feature|rule))|^(?:[\\w-]+ ){1,2}(?:team|squad|guild|folks|people)\\b(?! (?:ids?|table|model|settings|plan|page|slug|endpoint|object|entity|feature|rule))|^teams? |\\bsquad \\p{Lu}|\\b(?:the |our )?(?:rest of the )?team (?:is|has|sits|lead|uses|wants|works|meets|are)\\b|\\bwir sind (?:ein team|zu)\\b",
  },
  {
    name: 'role',
    weight: 3.5,
    pattern: `(?:\\b(?:my|our|their|his|her|new|primary|current|acting|other|dedicated|the only|merge|external|each other's)(?: [\\w-]+)? (?:${lexicon.roleNouns})\\b|^(?:the )?(?:${lexicon.roleNouns}) (?:of|for|in|at|is|wants|has|must|this|still|on|approves?|decides?)\\b|^(?:the )?(?:${lexicon.roleNouns}):)(?! (?:${lexicon.nonRoleFollowers})\\b)`,
  },
  { name: 'people', weight: 2.5, pattern: `\\b(?:${lexicon.personNouns})\\b(?! (?:${lexicon.nonRoleFollowers})\\b)` },
  {
    name: 'department does',
    weight: 3,
    pattern: `^(?:the |our )?(?:${lexicon.departmentNames}) (?:is|are|sits|needs to|has to|must|approves?|owns?|handles?|wants?|in|runs?|signs|decides?|reviews?|does|works?|gets?|meets?|team|group|people|folks|guys|crew|manages?|prefers?|reports?) (?!a \\w+ (?:module|service|app)|in \\w+ \\d|handled|stored|done|configured|implemented|on:|CODE)|\\bfrom (?:${lexicon.departmentNames})\\b|\\bin (?:procurement|finance|legal|marketing|sales|accounting)\\b|\\b(?:is|for) finance\\b`,
  },
  {
    name: 'ownership',
    weight: 3,
    pattern:
      '\\b(?:owned|maintained|led|run|managed|reviewed|approved|handled|staffed|headed|signed off|written|answered|outsourced|authored) (?:by|to) (?!the (?:cron|job|scheduler|api|server|client|service|framework|ci|cd|system|kernel|script)|(?:hand|default|design|mistake|accident|date|name|id|key|type|turborepo|CODE|nginx|husky)\\b)(?:two|three|four|an?|the|our|PERSONNAME|\\p{Lu})|\\b(?:responsible for|in charge of|accountable for|points? of contact|contact (?:for|is|at|person)|poc for|go-to (?:person|for)|reports? (?:directly )?to|reporting line|direct reports?|on-?call|on duty|code ?owners?|sign off on|signs? off|belongs to (?:the )?[\\w ]{0,20}(?:team|squad|guild|group)|(?:merge|admin|commit) (?:rights|access)|shares? responsibility|the person to|who to ask|whoever|escalat\\w+)\\b',
  },
  {
    name: 'ask whom',
    weight: 4.5,
    keywords:
      'ask|ping|contact|reach out|talk |check with|speak to|escalate|consult|cc|loop in|tag|assign|go to|goes to|notify|page|email|dm|message|bother|route|slack|#'.split(
        '|',
      ),
    pattern:
      '\\b(?:ask|ping|contact|reach out to|talk to|talk with|check with|speak to|escalate (?:\\w+ )?to|consult|cc|loop in|tag|assign .{1,30} to|go to|goes to|notify|page|email|dm|message|bother|route .{1,30} through) (?:with )?(?:PERSONNAME|the [\\w -]{1,30}(?:team|lead|owner|manager|channel|group|squad|people|folks|commander|guild|schedule)|@\\w|#\\w|him\\b|her\\b|\\p{Lu}\\p{Ll}+ (?:before|about|for))|\\bgo(?:es)? to #|: #[a-z]|#[a-z][\\w-]{2,30}\\b.{0,30}\\b(?:channel|slack)|\\bslack channel\\b|\\bin #[a-z]|\\bto #[a-z]',
  },
  {
    name: 'where people are',
    weight: 3,
    pattern: new RegExp(
      `\\b(?:based in|lives? in \\p{Lu}|sits? (?:in|with|next)|(?:is|are|sits?|office|works?|live|out of|from) (?:both |mostly |all |based )?(?:in |from )?(?:${lexicon.placeNames})|work(?:s|ing)? remotely|(?:is|are) remote|part[- ]time|full[- ]time|on (?:vacation|holiday|leave|pto|PTO|sick leave|parental leave|maternity leave|paternity leave|sabbatical)|out (?:sick|of office)|(?:is|are|'m|'re) (?:away|out)\\b|office hours|joined (?:us|the (?:team|company))|left the company|pronouns|hours ahead|hours behind|hours? earlier|(?:PST|CET|CEST|IST|EST|GMT|Eastern|Pacific) time|timezone is|on (?:Eastern|Pacific|Central) time|[’']s timezone|overlap is)\\b`,
      'u',
    ),
  },
  {
    name: 'I among people',
    weight: 4.5,
    keywords: "i |i'm |my ".split('|'),
    pattern:
      "\\bi (?:report to|work (?:with PERSONNAME|at|for|on the [\\w ]{1,25}team|alongside)|am on the [\\w ]{1,25}team|am part of|belong to|lead|manage|mentor|own|maintain|pair with|sit (?:next|with)|supervise|share)\\b|\\bi'm (?:on|part of|in) the [\\w ]{1,25}(?:team|squad|crew|guild)\\b|\\bi'm (?:the|a|an) [\\w -]{0,30}?(?:lead|engineer|developer|manager|architect|designer|maintainer|owner|contractor|freelancer|student|consultant)\\b|\\bmy (?:team|manager|boss|colleague|teammate|co-?worker|mentor|report|reports|company|employer|client|backup|skip-level|tech lead|lead|intern|squad)\\b|\\band i (?:pair|share|work|own|split|maintain)\\b",
  },
  {
    name: 'meeting',
    weight: 2,
    keywords:
      'stand-up|standup|1:1|one-on-one|sync|sprint review|all-hands|all hands|status mail|meets |calls more|rotation'.split(
        '|',
      ),
    pattern:
      '\\b(?:stand-?ups?|1:1s?|one-on-ones?|sync meeting|weekly sync|sprint review|all[- ]hands|status mail|meets (?:every|monthly|weekly|on|once)|calls more than|rotation)\\b',
  },
  {
    name: 'wer',
    weight: 4,
    keywords: "leitet|zuständig|verantwortlich|responsable|se encarga|c'est|s'occupe|gère|lidera|kümmert".split('|'),
    pattern:
      "\\b(?:leitet|ist (?:für .{1,40} )?(?:zuständig|verantwortlich)|es (?:el|la) responsable|se encarga de|c'est PERSONNAME qui|s'occupe de|est responsable|gère|lidera|kümmert sich um)\\b",
  },
]);
