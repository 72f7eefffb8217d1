"""Writes the quickstart's dataset: 64 prompts as quickstart.json, quickstart.parquet and quickstart.pkl.

    pip install 'pandas<3' pyarrow tokenizers
    python make_quickstart.py

The three files hold the same table, with the columns

    input      the prompt as text: a short news text to summarise, to headline or to question, or a plain question
    tok_input  the prompt as token ids, all below 4096, so that also the smallest test models take them
    output     a short reference answer

All texts were written for this project and describe invented places and events. The token ids come from a
byte-level BPE tokenizer trained on the prompts, so they exercise a server but mean nothing to a real model:
a benchmark of a real model uses that model's own dataset. The same versions and seed give the same files.
"""

import os
import random

import pandas as pd
from tokenizers import ByteLevelBPETokenizer

HERE = os.path.dirname(os.path.abspath(__file__))
SEED = 20260101
VOCABULARY = 2048

# text, summary, headline, question, answer
STORIES = [
    (
        "The harbour town of Velmouth reopened its stone bridge on Monday after fourteen months of repairs. Engineers "
        "replaced forty rusted anchor bolts and widened the footpath by a metre. Ferry operators, who had carried "
        "commuters free of charge during the closure, will return to their summer timetable next week.",
        "Velmouth's stone bridge has reopened after fourteen months of repairs, and the free ferries end.",
        "Velmouth bridge reopens after fourteen months",
        "How long was the bridge closed?",
        "Fourteen months.",
    ),
    (
        "A late frost destroyed about a third of the apricot blossom in the Korin valley last night. Growers lit "
        "small fires between the rows, but an east wind carried the warmth away. The regional cooperative expects "
        "higher prices in July and has asked for help with the cost of replanting.",
        "A late frost killed a third of the Korin valley's apricot blossom, so prices are expected to rise.",
        "Frost ruins a third of Korin's apricots",
        "Why did the growers' fires not help?",
        "An east wind carried the warmth away.",
    ),
    (
        "The public library of Ostrand will lend bicycles as well as books from September. Members may keep one of "
        "sixty bicycles for up to three days, and helmets are included. The council paid for the scheme with the "
        "money it saved by closing a car park that stood empty on most days.",
        "From September, Ostrand's library lends sixty bicycles, paid for by closing a car park.",
        "Ostrand library to lend bicycles",
        "How did the council pay for the bicycles?",
        "With the money saved by closing a car park.",
    ),
    (
        "Researchers at the Marlow Institute counted more puffins on Skerry Island this spring than in any year since "
        "1987. They credit a ban on fishing for sand eels, the birds' main food. Visitors are still asked to keep to "
        "the marked path, because the burrows collapse easily.",
        "Puffin numbers on Skerry Island are the highest since 1987, thanks to a ban on sand eel fishing.",
        "Most puffins on Skerry Island since 1987",
        "What do the researchers think helped the puffins?",
        "A ban on fishing for sand eels.",
    ),
    (
        "Night trains between Brenholm and the coast will run again after a pause of eleven years. The operator has "
        "rebuilt thirty sleeping cars with lockable cabins and a carriage for bicycles. Tickets for the first month "
        "sold out within two hours, so a second departure on Fridays is being considered.",
        "Night trains from Brenholm to the coast return after eleven years, and the first month is sold out.",
        "Night trains to the coast sell out at once",
        "What is the operator considering?",
        "A second departure on Fridays.",
    ),
    (
        "A bakery in Tolvik has won the national prize for rye bread with a recipe found behind a loose brick. The "
        "handwritten card, dated 1921, asks for buttermilk and a pinch of caraway. The owner says she changed only "
        "the baking time, because modern ovens are far hotter than her grandmother's was.",
        "A Tolvik bakery won the national rye bread prize with a recipe from 1921 that was hidden in a wall.",
        "Hidden recipe from 1921 wins bread prize",
        "What did the owner change in the recipe?",
        "Only the baking time.",
    ),
    (
        "Two hikers were found unhurt on Mount Arvel after thirty hours in thick fog. They had followed a stream "
        "downhill until it ended at a waterfall and then stayed where they were. The rescue team praised that "
        "decision and reminded walkers to carry a whistle and a charged lamp.",
        "Two hikers lost for thirty hours in fog on Mount Arvel were found unhurt after they stayed in one place.",
        "Hikers found safe after thirty hours in fog",
        "Which two things should walkers carry?",
        "A whistle and a charged lamp.",
    ),
    (
        "The city of Lindhaven will paint the roofs of its schools white before next summer. A trial on one building "
        "lowered the temperature in the upper classrooms by four degrees and cut the power used for cooling by a "
        "fifth. Parents had asked for air conditioning, which would have cost nine times as much.",
        "Lindhaven will paint its school roofs white, after a trial cooled classrooms by four degrees.",
        "White roofs to cool Lindhaven's schools",
        "How much did the trial lower the temperature?",
        "By four degrees.",
    ),
    (
        "A small satellite built by students of the Pellworth college has sent its first picture of a thunderstorm. "
        "The camera, taken from an old telephone, survived a launch that had been postponed six times. The students "
        "hope to compare lightning over land and sea until the battery fails in about a year.",
        "A satellite built by Pellworth students has sent its first storm picture and will study lightning for a year.",
        "Student satellite photographs its first storm",
        "Where did the camera come from?",
        "From an old telephone.",
    ),
    (
        "Shopkeepers in the old quarter of Sarrow have agreed to switch off their window lights at midnight. "
        "Astronomers at the nearby observatory say the night sky is already darker, and owls were heard in the park "
        "for the first time in years. Restaurants may keep a single lamp above the door.",
        "Sarrow's shops switch off their lights at midnight, which darkens the sky and brings back owls.",
        "Sarrow goes dark at midnight",
        "What may restaurants do?",
        "Keep a single lamp above the door.",
    ),
    (
        "The ferry Aurelia was towed back to Port Hask on Tuesday after a rope became wrapped around its propeller. "
        "None of the eighty passengers was hurt, and the crew served soup while they waited. Divers removed the rope "
        "in an hour; the harbour master is looking for the boat that lost it.",
        "The ferry Aurelia was towed to Port Hask with a rope in its propeller, and all eighty passengers are well.",
        "Ferry towed home by a lost rope",
        "Who is being looked for?",
        "The boat that lost the rope.",
    ),
    (
        "An orchestra in Dunmere gave a concert on instruments made from scrap metal. The conductor, a retired "
        "plumber, built the flutes from copper pipe and the drums from oil barrels. Half of the income goes to the "
        "music school, whose own instruments were damaged by a flood in the spring.",
        "A Dunmere orchestra played on instruments of scrap metal, and half of the income helps the music school.",
        "Scrap metal orchestra plays for music school",
        "What were the drums made from?",
        "Oil barrels.",
    ),
    (
        "Farmers on the Hallen plain have begun to plant hedges that their parents pulled out. The strips keep soil "
        "from blowing away in dry years and shelter the beetles that eat aphids. A national fund pays for the young "
        "trees, but farmers must promise to leave them standing for twenty years.",
        "Hallen farmers are planting hedges again, paid for by a fund, to hold the soil and shelter useful beetles.",
        "Hedges return to the Hallen plain",
        "What must the farmers promise?",
        "To leave the trees standing for twenty years.",
    ),
    (
        "The museum of Eastwick has returned a carved door to the island of Ruvo, where it was taken from a meeting "
        "house in 1902. Islanders welcomed the ship with songs. A copy, made by two young carvers during a stay in "
        "Eastwick, now hangs in the museum beside the story of the journey.",
        "Eastwick's museum has returned a carved door to Ruvo, from where it was taken in 1902, and shows a copy.",
        "Carved door sails home to Ruvo",
        "What hangs in the museum now?",
        "A copy made by two young carvers.",
    ),
    (
        "Engineers have found the reason for the hum that kept the suburb of Greyfell awake for a year. A fan in the "
        "new car tunnel turned at almost the same speed as the wind in a disused chimney, and the two sounds beat "
        "together. The fan now runs a little slower, and the nights are quiet.",
        "The hum in Greyfell came from a tunnel fan and a chimney that sounded together; slowing the fan ended it.",
        "Greyfell's mystery hum is solved",
        "What ended the hum?",
        "The fan now runs a little slower.",
    ),
    (
        "A chess club in Norbury has played the same game by post with a club overseas since 1994. Each move takes "
        "about five weeks, and three of the first players have died. Both sides agree that the position is equal, "
        "but nobody has yet offered a draw, because the letters have become the point.",
        "Two chess clubs have played one game by post since 1994 and will not offer a draw, as they enjoy the letters.",
        "A chess game by post enters its fourth decade",
        "Why has nobody offered a draw?",
        "Because the letters have become the point.",
    ),
]

QUESTIONS = [
    ("Explain to a ten-year-old why the sea is salty, and why most rivers are not.", "Rivers carry tiny amounts of salt from rocks to the sea; the water leaves as vapour and the salt stays."),
    ("I have a cup that holds 300 ml and one that holds 500 ml. How can I measure exactly 400 ml of water with only these two?", "Fill 500, pour into 300, empty it, pour the 200 left into it, fill 500 again and top up the 300: 400 ml remain."),
    ("List three things to check before buying a used bicycle, and say for each what a bad sign looks like.", "Frame (cracks), chain and gears (jumping), brakes and rims (worn or bent)."),
    ("What is the difference between weather and climate? Answer in two sentences with one example of each.", "Weather is the state of the air today, such as rain; climate is its pattern over decades, such as wet winters."),
    ("Write a polite message that asks a neighbour to move a car that blocks my garage. Keep it under fifty words.", "Hello, your car is in front of my garage and I need to leave soon. Could you please move it? Thank you."),
    ("Why do onions make people cry, and which simple trick in the kitchen helps against it?", "Cutting frees a gas that stings the eyes; chilling the onion first slows it."),
    ("Translate this sentence into plain English: the undersigned hereby acknowledges receipt of the aforementioned goods in satisfactory condition.", "I received the goods and they are in good condition."),
    ("A train leaves at 9:40 and arrives at 13:05. It stops for twelve minutes on the way. How long is it moving?", "Three hours and thirteen minutes."),
    ("Suggest a dinner for four people, one of whom eats no dairy, that takes less than thirty minutes and one pan.", "Rice with chickpeas, tomatoes, spinach and lemon."),
    ("What does a database index do, and why is it not free? Explain it to somebody who knows spreadsheets.", "It is a sorted list that finds rows quickly, but it takes space and must be updated with every change."),
    ("Name two reasons why cities plant trees along streets and one problem that the roots can cause.", "Shade and cleaner air; roots can lift the pavement or break pipes."),
    ("My houseplant has yellow leaves at the bottom, and the soil is always wet. What is likely wrong and what should I do?", "It gets too much water; let the soil dry and make sure the pot drains."),
    ("Compare renting and buying a pair of skis for somebody who goes once a year. Give a recommendation at the end.", "Buying pays only after many trips and needs care and storage, so rent."),
    ("How does a refrigerator move heat from a cold place to a warm one, although heat normally flows the other way?", "A compressor does work on a fluid that takes up heat inside as it evaporates and gives it off outside."),
    ("Give me a short checklist for the evening before an early flight, in the order in which I should do things.", "Check in, pack, put documents ready, charge the phone, book the ride, set two alarms."),
    ("What should I say in the first minute of a job interview when I am asked to tell something about myself?", "Who you are now, one achievement that fits the job, and why you want this one."),
]

SUMMARISE = [
    "Summarise the following news text in one sentence.\n\n{}",
    "Read this text and state its main point in at most twenty words:\n\n{}",
    "{}\n\nIn one sentence, what happened?",
    "You are an editor. Shorten this report to a single sentence that keeps the most important fact.\n\n{}",
]
HEADLINE = [
    "Write a headline of at most eight words for this article:\n\n{}",
    "{}\n\nSuggest a short headline for the text above.",
    "Give the following report a title that a local newspaper would print.\n\n{}",
]
ASK = [
    "Answer the question from the text.\n\nText: {}\n\nQuestion: {}",
    "{}\n\n{} Answer briefly.",
    "Use only the information below. If it does not say, answer 'unknown'.\n\n{}\n\n{}",
]


def rows(rng):
    made = []
    for text, summary, headline, question, answer in STORIES:
        made.append((rng.choice(SUMMARISE).format(text), summary))
        made.append((rng.choice(HEADLINE).format(text), headline))
        made.append((rng.choice(ASK).format(text, question), answer))
    made.extend(QUESTIONS)
    rng.shuffle(made)
    return made


def main():
    table = pd.DataFrame(rows(random.Random(SEED)), columns=["input", "output"])
    tokenizer = ByteLevelBPETokenizer()
    tokenizer.train_from_iterator(table["input"], vocab_size=VOCABULARY, min_frequency=2, show_progress=False)
    table.insert(1, "tok_input", [tokenizer.encode(text).ids for text in table["input"]])

    lengths = table["tok_input"].map(len)
    assert len(table) == 64 and table["input"].is_unique
    assert lengths.between(20, 120).all(), lengths.describe()
    assert table["tok_input"].map(max).max() < 4096

    table.to_json(os.path.join(HERE, "quickstart.json"), orient="records")
    table.to_parquet(os.path.join(HERE, "quickstart.parquet"), index=False)
    table.to_pickle(os.path.join(HERE, "quickstart.pkl"), protocol=4)
    print(f"{len(table)} prompts of {lengths.min()} to {lengths.max()} tokens, {lengths.sum()} in all")


if __name__ == "__main__":
    main()
